// b = a in tiles of blockDim x UNROLL 16-byte vectors: all of a thread's loads are issued before its first store.
// 16 * UNROLL bytes read and as many written a thread and tile.
#include "params.h"

template <uint UNROLL>
__device__ __forceinline__ void copy_plain(const uint4* a, uint4* b, TileParams params) {
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    const uint first = tile * blockDim.x * UNROLL + threadIdx.x;
    uint4 value[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) value[u] = a[first + u * blockDim.x];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) b[first + u * blockDim.x] = value[u];
  }
}

extern "C" __global__ void copy_plain_1(const uint4* a, uint4* b, TileParams params) { copy_plain<1>(a, b, params); }
extern "C" __global__ void copy_plain_2(const uint4* a, uint4* b, TileParams params) { copy_plain<2>(a, b, params); }
extern "C" __global__ void copy_plain_4(const uint4* a, uint4* b, TileParams params) { copy_plain<4>(a, b, params); }
extern "C" __global__ void copy_plain_8(const uint4* a, uint4* b, TileParams params) { copy_plain<8>(a, b, params); }
