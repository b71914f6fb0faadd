// b = a in tiles of blockDim x UNROLL 16-byte vectors: all of a thread's loads are in flight before its first store.
// 16 * UNROLL bytes read and as many written a thread; every warp access is 512 contiguous bytes.
#include "params.h"

template <uint UNROLL>
__device__ void copy_tile(const uint4* a, uint4* b, uint count) {
  const uint first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * blockDim.x;
    if (i < count) value[u] = a[i];
  }
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * blockDim.x;
    if (i < count) b[i] = value[u];
  }
}

extern "C" __global__ void copy_tile_1(const uint4* a, uint4* b, CountParams params) { copy_tile<1>(a, b, params.count); }
extern "C" __global__ void copy_tile_2(const uint4* a, uint4* b, CountParams params) { copy_tile<2>(a, b, params.count); }
extern "C" __global__ void copy_tile_4(const uint4* a, uint4* b, CountParams params) { copy_tile<4>(a, b, params.count); }
extern "C" __global__ void copy_tile_8(const uint4* a, uint4* b, CountParams params) { copy_tile<8>(a, b, params.count); }
