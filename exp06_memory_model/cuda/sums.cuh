// What a thread reads is summed up as words, and every block stores its sum: exact in any order.
#pragma once

#include "core/base/shader_types.h"

__device__ __forceinline__ uint sum_of(uint value) { return value; }
__device__ __forceinline__ uint sum_of(uint2 value) { return value.x + value.y; }
__device__ __forceinline__ uint sum_of(uint4 value) { return value.x + value.y + value.z + value.w; }

__device__ __forceinline__ uint word_of(uint value) { return value; }
__device__ __forceinline__ uint word_of(uint2 value) { return value.x; }
__device__ __forceinline__ uint word_of(uint4 value) { return value.x; }

// By all threads of a block. Not unrolled: the registers of a kernel are to be those of its loads.
__device__ __forceinline__ void store_block_sum(uint sum, uint* sums, uint block = blockIdx.x) {
  __shared__ uint partial[32];
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    uint total = 0;
#pragma unroll 1
    for (uint warp = 0; warp < blockDim.x / 32; ++warp) total += partial[warp];
    sums[block] = total;
  }
}
