// XOR of each tile of blockDim x UNROLL 16-byte vectors, one word a block stored: 16 * UNROLL bytes read a thread. Its
// loads need nothing of each other; ptxas 13.0 has 3 + 5 of eight in flight, to stay at 32 registers. XOR is exact in any
// order, so the result can be checked bit for bit.
#include "params.h"

template <uint UNROLL>
__device__ void read_tile(const uint4* a, uint* sums, uint count) {
  __shared__ uint partial[32];
  const uint first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * blockDim.x;
    value[u] = i < count ? a[i] : make_uint4(0, 0, 0, 0);
  }
  uint sum = 0;
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) sum ^= value[u].x ^ value[u].y ^ value[u].z ^ value[u].w;
  sum = __reduce_xor_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    uint total = 0;
    for (uint warp = 0; warp < blockDim.x / 32; ++warp) total ^= partial[warp];
    sums[blockIdx.x] = total;
  }
}

extern "C" __global__ void read_tile_1(const uint4* a, uint* sums, CountParams params) { read_tile<1>(a, sums, params.count); }
extern "C" __global__ void read_tile_2(const uint4* a, uint* sums, CountParams params) { read_tile<2>(a, sums, params.count); }
extern "C" __global__ void read_tile_4(const uint4* a, uint* sums, CountParams params) { read_tile<4>(a, sums, params.count); }
extern "C" __global__ void read_tile_8(const uint4* a, uint* sums, CountParams params) { read_tile<8>(a, sums, params.count); }
