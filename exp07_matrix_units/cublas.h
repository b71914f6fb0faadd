// cuBLAS and cuBLASLt, loaded at run time: the line that the kernels' products are compared with. Nothing links with them, and
// no header of theirs is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/shared_library.h"
#include "core/device/offers.h"
#include "numbers.h"
#include "params.h"

// A library of the CUDA toolkit, opened when it is first needed.
class ToolkitLibrary {
 public:
  // name: as messages say it. candidates: what to try, in order.
  ToolkitLibrary(std::string name, std::vector<std::string> candidates);
  // Throws Skip where none is found.
  void load();
  // Throws Skip where the one found has no such function.
  template <class Function>
  Function* function(const char* name) const;
  // The same, nullptr in its place.
  template <class Function>
  Function* function_if_there(const char* name) const {
    return library_.function<Function>(name);
  }

 private:
  std::string name_;
  std::vector<std::string> candidates_;
  bench::SharedLibrary library_;
};

class Cublas : public std::enable_shared_from_this<Cublas> {
 public:
  // Loads nothing yet. libraries: what to try, in order; by default libcublas of CUDA 13 and 12, where the loader finds it,
  // under CUDA_HOME and CUDA_PATH and in /usr/local/cuda.
  static std::shared_ptr<Cublas> make();
  static std::shared_ptr<Cublas> make(std::vector<std::string> libraries);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  // C = A B of numbers `in`, summed up and stored as `sums`: f16, bf16 and tf32 as f32, f16 as f16, s8 as s32. The call holds
  // on to this object; the buffers are the caller's. Throws Skip where cuBLAS is missing or has no such product.
  bench::StreamCall product(const bench::Buffer& a, const bench::Buffer& b, const bench::Buffer& c, const MatrixParams& matrix,
                            Number in, Number sums);
  // "13.1.0". Throws Skip where cuBLAS is missing.
  std::string version();

 private:
  explicit Cublas(std::vector<std::string> libraries);
  void open(void* stream);

  ToolkitLibrary library_;
  void* handle_ = nullptr;  // a cublasHandle_t of the device that was current when it was first needed
};

// The same products by cublasLtMatmul, whose caller chooses the algorithm.
class CublasLt : public std::enable_shared_from_this<CublasLt> {
 public:
  static constexpr std::uint64_t kWorkspaceBytes = 32U << 20;  // what cuBLAS takes on Hopper
  static constexpr std::size_t kMostAlgorithms = 8;            // that the library is asked to propose

  // As Cublas::make(), of libcublasLt.
  static std::shared_ptr<CublasLt> make();
  static std::shared_ptr<CublasLt> make(std::vector<std::string> libraries);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  // As Cublas::product(), by the algorithm that the library proposes at `place`; 0: the one it expects to be the fastest. The
  // workspace has kWorkspaceBytes. The call throws Skip where the library proposes no more than `place`.
  bench::StreamCall product(const bench::Buffer& a, const bench::Buffer& b, const bench::Buffer& c,
                            const bench::Buffer& workspace, const MatrixParams& matrix, Number in, Number sums,
                            std::size_t place);

 private:
  explicit CublasLt(std::vector<std::string> libraries);
  void open();

  ToolkitLibrary library_;
  void* handle_ = nullptr;  // a cublasLtHandle_t, likewise
};
