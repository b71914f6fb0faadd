#include "cublas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace {

// From cublas_api.h and library_types.h, whose numbers are part of the library's ABI; declared here so that no NVIDIA header is
// needed to build.
constexpr int kSuccess = 0;
constexpr int kNotTransposed = 0;
constexpr int kTransposed = 1;
constexpr int kDefaultAlgorithm = -1;
enum DataType : int { kR32f = 0, kR16f = 2, kR8i = 3, kR32i = 10, kR16bf = 14 };
enum ComputeType : int { kCompute16f = 64, kCompute32f = 68, kCompute32i = 72, kCompute32fOfTf32 = 77 };

using GemmEx = int(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a, int type_a, int lda,
                   const void* b, int type_b, int ldb, const void* beta, void* c, int type_c, int ldc, int compute,
                   int algorithm);

// cublasGemmEx's types for a product; what one and zero look like in the type of the sums.
struct CublasTypes {
  DataType in;
  DataType out;
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

std::vector<std::string> default_libraries() {
  std::vector<std::string> result;
  for (const char* name : {"libcublas.so.13", "libcublas.so.12"}) {
    result.emplace_back(name);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* home = std::getenv(variable);
      if (home != nullptr && *home != '\0') result.push_back(fmt::format("{}/lib64/{}", home, name));
    }
    result.push_back(fmt::format("/usr/local/cuda/lib64/{}", name));
  }
  return result;
}

}  // namespace

std::shared_ptr<Cublas> Cublas::make() { return make(default_libraries()); }

std::shared_ptr<Cublas> Cublas::make(std::vector<std::string> libraries) {
  return std::shared_ptr<Cublas>(new Cublas(std::move(libraries)));
}

Cublas::Cublas(std::vector<std::string> libraries) : libraries_(std::move(libraries)) {}

Cublas::~Cublas() {
  if (handle_ == nullptr) return;
  auto* destroy = library_.function<int(void*)>("cublasDestroy_v2");
  if (destroy != nullptr) destroy(handle_);
}

void Cublas::load() {
  if (!library_) library_ = bench::SharedLibrary(libraries_, bench::SharedLibrary::AtEnd::kStay);
  if (!library_) {
    throw bench::Skip("cuBLAS is wanted (the CUDA toolkit's package libcublas), and none of these is found: {}",
                      fmt::join(libraries_, ", "));
  }
}

template <class Function>
Function* Cublas::function(const char* name) const {
  auto* found = library_.function<Function>(name);
  if (found == nullptr) throw bench::Skip("cuBLAS: {} is not in the one found", name);
  return found;
}

std::string Cublas::version() {
  load();
  std::string text;
  for (const int property : {0, 1, 2}) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    int value = 0;
    function<int(int, int*)>("cublasGetProperty")(property, &value);
    text += fmt::format("{}{}", property == 0 ? "" : ".", value);
  }
  return text;
}

void Cublas::open(void* stream) {
  if (handle_ == nullptr) {
    const int status = function<int(void**)>("cublasCreate_v2")(&handle_);
    if (status != kSuccess) throw bench::Error("cublasCreate: status {}", status);
  }
  const int status = function<int(void*, void*)>("cublasSetStream_v2")(handle_, stream);
  if (status != kSuccess) throw bench::Error("cublasSetStream: status {}", status);
}

bench::StreamCall Cublas::product(const bench::Buffer& a, const bench::Buffer& b, const bench::Buffer& c,
                                  const MatrixParams& matrix, Number in, Number sums) {
  load();
  const std::optional<CublasTypes> types = types_of(in, sums);
  if (!types) throw bench::Skip("cublasGemmEx multiplies no {} into {}", name_of(in), name_of(sums));
  auto* gemm = function<GemmEx>("cublasGemmEx");
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
