#include "cublas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace {

// From cublas_api.h, cublasLt.h and library_types.h, whose numbers are part of the libraries' ABI; declared here so that no
// NVIDIA header is needed to build.
constexpr int kSuccess = 0;
constexpr int kDefaultAlgorithm = -1;
enum DataType : int { kR32f = 0, kR16f = 2, kR8i = 3, kR32i = 10, kR16bf = 14 };
enum ComputeType : int { kCompute16f = 64, kCompute32f = 68, kCompute32i = 72, kCompute32fOfTf32 = 77 };

enum Operation : int { kNotTransposed = 0, kTransposed = 1 };

using GemmEx = int(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a, int lda,
                   const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc, int compute,
                   int algorithm);

// cublasLtMatmul's.
constexpr int kDescTransposeA = 3;
constexpr int kPreferenceMostWorkspaceBytes = 1;
struct LtProposal {  // cublasLtMatmulHeuristicResult_t
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtProposal) == 96);
using LtPropose = int(void* handle, void* desc, void* a, void* b, void* c, void* d, void* preference, int wanted,
                      LtProposal* proposals, int* found);
using LtMatmul = int(void* handle, void* desc, const void* alpha, const void* a, void* layout_a, const void* b, void* layout_b,
                     const void* beta, const void* c, void* layout_c, void* d, void* layout_d, const void* algorithm,
                     void* workspace, std::size_t workspace_bytes, void* stream);

// Both libraries' types for a product; what one and zero look like in the type of the sums.
struct CublasTypes {
  DataType in;
  DataType out;  // and of what cublasLtMatmul scales the sums by
  ComputeType compute;
  std::uint32_t one;
};

std::optional<CublasTypes> types_of(Number in, Number sums) {
  constexpr std::uint32_t kOneF32 = 0x3f800000;
  constexpr std::uint32_t kOneF16 = 0x3c00;
  if (in == Number::kF16 && sums == Number::kF32) return CublasTypes{kR16f, kR32f, kCompute32f, kOneF32};
  if (in == Number::kBf16 && sums == Number::kF32) return CublasTypes{kR16bf, kR32f, kCompute32f, kOneF32};
  if (in == Number::kTf32 && sums == Number::kF32) return CublasTypes{kR32f, kR32f, kCompute32fOfTf32, kOneF32};
  if (in == Number::kF16 && sums == Number::kF16) return CublasTypes{kR16f, kR16f, kCompute16f, kOneF16};
  if (in == Number::kS8 && sums == Number::kS32) return CublasTypes{kR8i, kR32i, kCompute32i, 1};
  return std::nullopt;
}

// stem: "libcublas".
std::vector<std::string> default_libraries(std::string_view stem) {
  std::vector<std::string> result;
  for (const int version : {13, 12}) {
    const std::string name = fmt::format("{}.so.{}", stem, version);
    result.push_back(name);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* home = std::getenv(variable);
      if (home != nullptr && *home != '\0') result.push_back(fmt::format("{}/lib64/{}", home, name));
    }
    result.push_back(fmt::format("/usr/local/cuda/lib64/{}", name));
  }
  return result;
}

}  // namespace

ToolkitLibrary::ToolkitLibrary(std::string name, std::vector<std::string> candidates)
    : name_(std::move(name)), candidates_(std::move(candidates)) {}

void ToolkitLibrary::load() {
  if (!library_) library_ = bench::SharedLibrary(candidates_, bench::SharedLibrary::AtEnd::kStay);
  if (!library_) {
    throw bench::Skip("{} is wanted (the CUDA toolkit's package libcublas), and none of these is found: {}", name_,
                      fmt::join(candidates_, ", "));
  }
}

template <class Function>
Function* ToolkitLibrary::function(const char* name) const {
  auto* found = library_.function<Function>(name);
  if (found == nullptr) throw bench::Skip("{}: {} is not in the one found", name_, name);
  return found;
}

std::shared_ptr<Cublas> Cublas::make() { return make(default_libraries("libcublas")); }

std::shared_ptr<Cublas> Cublas::make(std::vector<std::string> libraries) {
  return std::shared_ptr<Cublas>(new Cublas(std::move(libraries)));
}

Cublas::Cublas(std::vector<std::string> libraries) : library_("cuBLAS", std::move(libraries)) {}

Cublas::~Cublas() {
  if (handle_ == nullptr) return;
  auto* destroy = library_.function_if_there<int(void*)>("cublasDestroy_v2");
  if (destroy != nullptr) destroy(handle_);
}

std::string Cublas::version() {
  library_.load();
  std::string text;
  for (const int property : {0, 1, 2}) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    int value = 0;
    library_.function<int(int, int*)>("cublasGetProperty")(property, &value);
    text += fmt::format("{}{}", property == 0 ? "" : ".", value);
  }
  return text;
}

void Cublas::open(void* stream) {
  if (handle_ == nullptr) {
    const int status = library_.function<int(void**)>("cublasCreate_v2")(&handle_);
    if (status != kSuccess) throw bench::Error("cublasCreate: status {}", status);
  }
  const int status = library_.function<int(void*, void*)>("cublasSetStream_v2")(handle_, stream);
  if (status != kSuccess) throw bench::Error("cublasSetStream: status {}", status);
}

bench::StreamCall Cublas::product(const bench::Buffer& a, const bench::Buffer& b, const bench::Buffer& c,
                                  const MatrixParams& matrix, Number in, Number sums) {
  library_.load();
  const std::optional<CublasTypes> types = types_of(in, sums);
  if (!types) throw bench::Skip("cublasGemmEx multiplies no {} into {}", name_of(in), name_of(sums));
  auto* gemm = library_.function<GemmEx>("cublasGemmEx");
  bench::StreamCall call;
  call.name = fmt::format("cublasGemmEx {} {} {} x {} x {}", name_of(in), name_of(sums), matrix.m, matrix.n, matrix.k);
  call.buffers = {&a, &b, &c};
  call.enqueue = [self = shared_from_this(), gemm, types = *types, matrix, name = call.name](void* stream,
                                                                                             std::span<void* const> pointers) {
    self->open(stream);
    const auto m = static_cast<int>(matrix.m);
    const auto n = static_cast<int>(matrix.n);
    const auto k = static_cast<int>(matrix.k);
    const std::uint32_t zero = 0;
    // cuBLAS's matrices are column-major. C, row-major, is to it C^T, n x m, and that is B^T^T A^T: our B, n x k row-major, is
    // k x n to it, to be transposed; our A, m x k row-major, is k x m, taken as it is.
    const int status = gemm(self->handle_, kTransposed, kNotTransposed, n, m, k, &types.one, pointers[1], types.in, k,
                            pointers[0], types.in, k, &zero, pointers[2], types.out, n, types.compute, kDefaultAlgorithm);
    if (status != kSuccess) throw bench::Error("{}: status {}", name, status);
  };
  return call;
}

namespace {

// What describes a product to cuBLASLt, and the algorithm, once the library has proposed some.
class LtPlan {
 public:
  // owner: keeps the library.
  LtPlan(std::shared_ptr<const void> owner, const ToolkitLibrary& library, const MatrixParams& matrix, const CublasTypes& types,
         std::size_t place)
      : owner_(std::move(owner)), library_(library), matrix_(matrix), types_(types), place_(place) {}
  ~LtPlan() {
    const auto destroy = [&](const char* name, void* what) {
      auto* function = library_.function_if_there<int(void*)>(name);
      if (what != nullptr && function != nullptr) function(what);
    };
    destroy("cublasLtMatmulDescDestroy", desc_);
    for (void* layout : {a_, b_, c_}) destroy("cublasLtMatrixLayoutDestroy", layout);
  }
  LtPlan(const LtPlan&) = delete;
  LtPlan& operator=(const LtPlan&) = delete;

  void enqueue(void* handle, void* stream, std::span<void* const> pointers) {
    if (desc_ == nullptr) make(handle);
    const std::uint32_t zero = 0;
    // As in Cublas::product(): the library's A is our B.
    check("cublasLtMatmul", library_.function<LtMatmul>("cublasLtMatmul")(
                                handle, desc_, &types_.one, pointers[1], a_, pointers[0], b_, &zero, pointers[2], c_,
                                pointers[2], c_, proposal_.algorithm, pointers[3], CublasLt::kWorkspaceBytes, stream));
  }

 private:
  static void check(const char* what, int status) {
    if (status != kSuccess) throw bench::Error("{}: status {}", what, status);
  }
  void* layout(std::uint64_t rows, std::uint64_t columns, DataType type) const {
    void* made = nullptr;
    const char* const name = "cublasLtMatrixLayoutCreate";
    using Create = int(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
    check(name, library_.function<Create>(name)(&made, type, rows, columns, static_cast<std::int64_t>(rows)));
    return made;
  }
  void make(void* handle) {
    a_ = layout(matrix_.k, matrix_.n, types_.in);
    b_ = layout(matrix_.k, matrix_.m, types_.in);
    c_ = layout(matrix_.n, matrix_.m, types_.out);
    using CreateDesc = int(void**, int, int);
    using Set = int(void*, int, const void*, std::size_t);
    check("cublasLtMatmulDescCreate",
          library_.function<CreateDesc>("cublasLtMatmulDescCreate")(&desc_, types_.compute, types_.out));
    const int transposed = kTransposed;
    check("cublasLtMatmulDescSetAttribute",
          library_.function<Set>("cublasLtMatmulDescSetAttribute")(desc_, kDescTransposeA, &transposed, sizeof(transposed)));
    propose(handle);
  }
  void propose(void* handle) {
    void* preference = nullptr;
    check("cublasLtMatmulPreferenceCreate", library_.function<int(void**)>("cublasLtMatmulPreferenceCreate")(&preference));
    const std::uint64_t most = CublasLt::kWorkspaceBytes;
    using Set = int(void*, int, const void*, std::size_t);
    const int set = library_.function<Set>("cublasLtMatmulPreferenceSetAttribute")(preference, kPreferenceMostWorkspaceBytes,
                                                                                   &most, sizeof(most));
    LtProposal proposals[CublasLt::kMostAlgorithms] = {};
    int found = 0;
    const int status = library_.function<LtPropose>("cublasLtMatmulAlgoGetHeuristic")(
        handle, desc_, a_, b_, c_, c_, preference, static_cast<int>(CublasLt::kMostAlgorithms), proposals, &found);
    library_.function<int(void*)>("cublasLtMatmulPreferenceDestroy")(preference);
    check("cublasLtMatmulPreferenceSetAttribute", set);
    check("cublasLtMatmulAlgoGetHeuristic", status);
    if (place_ >= static_cast<std::size_t>(found) || proposals[place_].state != kSuccess)
      throw bench::Skip("cuBLASLt proposes {} algorithms, not {}", found, place_ + 1);
    proposal_ = proposals[place_];
  }

  std::shared_ptr<const void> owner_;
  const ToolkitLibrary& library_;
  MatrixParams matrix_;
  CublasTypes types_;
  std::size_t place_;
  void* desc_ = nullptr;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* c_ = nullptr;
  LtProposal proposal_ = {};
};

}  // namespace

std::shared_ptr<CublasLt> CublasLt::make() { return make(default_libraries("libcublasLt")); }

std::shared_ptr<CublasLt> CublasLt::make(std::vector<std::string> libraries) {
  return std::shared_ptr<CublasLt>(new CublasLt(std::move(libraries)));
}

CublasLt::CublasLt(std::vector<std::string> libraries) : library_("cuBLASLt", std::move(libraries)) {}

CublasLt::~CublasLt() {
  if (handle_ == nullptr) return;
  auto* destroy = library_.function_if_there<int(void*)>("cublasLtDestroy");
  if (destroy != nullptr) destroy(handle_);
}

void CublasLt::open() {
  if (handle_ != nullptr) return;
  const int status = library_.function<int(void**)>("cublasLtCreate")(&handle_);
  if (status != kSuccess) throw bench::Error("cublasLtCreate: status {}", status);
}

bench::StreamCall CublasLt::product(const bench::Buffer& a, const bench::Buffer& b, const bench::Buffer& c,
                                    const bench::Buffer& workspace, const MatrixParams& matrix, Number in, Number sums,
                                    std::size_t place) {
  library_.load();
  const std::optional<CublasTypes> types = types_of(in, sums);
  if (!types) throw bench::Skip("cublasLtMatmul multiplies no {} into {}", name_of(in), name_of(sums));
  library_.function<LtMatmul>("cublasLtMatmul");  // or Skip
  bench::StreamCall call;
  call.name = fmt::format("cublasLtMatmul {} {} {} x {} x {}", name_of(in), name_of(sums), matrix.m, matrix.n, matrix.k);
  call.buffers = {&a, &b, &c, &workspace};
  const std::shared_ptr<CublasLt> self = shared_from_this();
  call.enqueue = [self, plan = std::make_shared<LtPlan>(self, library_, matrix, *types, place)](
                     void* stream, std::span<void* const> pointers) {
    self->open();
    plan->enqueue(self->handle_, stream, pointers);
  };
  return call;
}
