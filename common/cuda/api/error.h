// Every call of the CUDA runtime goes through BENCH_CU, in every build type.
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string>

#include "core/base/error.h"

namespace bench::cuda {

// "cudaErrorNoDevice (100): no CUDA-capable device is detected; <what to try>". Needs no driver.
std::string describe(cudaError_t status);

// The error ended the CUDA context: every later call of this process on the device returns it again.
// Source: CUDA Runtime API, cudaError_t ("leaves the process in an inconsistent state").
bool is_sticky(cudaError_t status);

// Throws Error, DeviceLost for a sticky error, OutOfMemory for cudaErrorMemoryAllocation: file:line, the call,
// describe(status), the values asked for. Clears the runtime's last error.
[[noreturn]] void fail(cudaError_t status, const char* call, const char* file, int line, const std::string& asked = {});

}  // namespace bench::cuda

// BENCH_CU(call) or BENCH_CU(call, "grid {} x block {}", grid, block): throws (see fail) unless the call returns cudaSuccess.
// The values asked for are formatted only on failure.
#define BENCH_CU(call, ...)                                                                                    \
  do {                                                                                                         \
    if (const cudaError_t bench_cu_status_ = (call); bench_cu_status_ != cudaSuccess) {                        \
      ::bench::cuda::fail(bench_cu_status_, #call, __FILE__, __LINE__ __VA_OPT__(, fmt::format(__VA_ARGS__))); \
    }                                                                                                          \
  } while (false)
