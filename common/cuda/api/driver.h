// The CUDA driver API's functions, for what the runtime API lacks. Nothing links with libcuda.
#pragma once

#include <cudaTypedefs.h>

#include "cuda/api/error.h"

namespace bench::cuda {

// The driver's function `name` as of CUDA `version` (1000 * major + 10 * minor); nullptr if the driver lacks it. Throws Error.
template <class Function>
Function find_driver_function(const char* name, unsigned int version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
  BENCH_CU(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &result), "{}", name);
  return result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(function) : nullptr;
}

// The same. Throws Error if the driver lacks it.
template <class Function>
Function driver_function(const char* name, unsigned int version) {
  const auto function = find_driver_function<Function>(name, version);
  if (function == nullptr) throw Error("the CUDA driver lacks {}", name);
  return function;
}

// CUresult and cudaError_t share their numbers (CUDA Driver API, CUresult), so BENCH_CU checks both.
inline cudaError_t status_of(CUresult result) { return static_cast<cudaError_t>(result); }

}  // namespace bench::cuda
