// Sets the condition that a graph's node waits for, where one does.
#pragma once

#include <cuda_device_runtime_api.h>

#include "params.h"

__device__ __forceinline__ void tell(const Decision& decision, unsigned int value) {
  const unsigned long long handle = static_cast<unsigned long long>(decision.target_high) << 32 | decision.target_low;
  if (handle != 0) cudaGraphSetConditional(handle, value);
}
