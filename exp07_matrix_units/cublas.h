// cuBLAS, loaded at run time: the line that the kernels' products are compared with. Nothing links with it, and no header of it
// is needed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/shared_library.h"
#include "core/device/offers.h"
#include "numbers.h"
#include "params.h"

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
  void load();
  template <class Function>
  Function* function(const char* name) const;
  void open(void* stream);

  std::vector<std::string> libraries_;
  bench::SharedLibrary library_;
  void* handle_ = nullptr;  // a cublasHandle_t of the device that was current when it was first needed
};
