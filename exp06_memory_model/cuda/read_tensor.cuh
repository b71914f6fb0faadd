// read_ring through a 2-D tensor map: a chunk is a box of whole rows, so the same bytes come to the same places.
#pragma once

#include "exp06_memory_model/cuda/read_ring.cuh"
#include "exp06_memory_model/tma_params.h"

// `params`: the kernel's own, __grid_constant__.
__device__ __forceinline__ void read_tensor(uint* sums, const TmaParams& params) {
  const uint rows = params.ring.chunk_bytes / (EXP06_ROW_WORDS * 4);
  const auto load = [&](void* slot, uint chunk, unsigned long long* barrier) {
    tensor_load(slot, &params.map, 0, chunk * rows, barrier);
  };
  read_ring(load, sums, params.ring);
}
