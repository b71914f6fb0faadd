// b = a, a block for every tile of blockDim x UNROLL 16-byte vectors: all of a thread's loads are issued before its first
// store. 16 * UNROLL bytes read and as many written a thread.
#include "params.h"

template <uint UNROLL>
__device__ __forceinline__ void copy_plain(const uint4* a, uint4* b) {
  const uint first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) value[u] = a[first + u * blockDim.x];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) b[first + u * blockDim.x] = value[u];
}

extern "C" __global__ void copy_plain_1(const uint4* a, uint4* b) { copy_plain<1>(a, b); }
extern "C" __global__ void copy_plain_2(const uint4* a, uint4* b) { copy_plain<2>(a, b); }
extern "C" __global__ void copy_plain_4(const uint4* a, uint4* b) { copy_plain<4>(a, b); }
