// Everything read once, through registers into shared memory, where a thread sums what its neighbour brought. The next tile's
// loads are in flight while this one is summed: 16 * UNROLL bytes a thread. Without __restrict__ they would wait for the
// barrier.
#include "exp06_memory_model/cuda/sums.cuh"
#include "params.h"

template <uint UNROLL>
__device__ __forceinline__ void read_staged(const uint4* __restrict__ in, uint* sums, TileParams params) {
  extern __shared__ uint4 stage[];  // two tiles: one barrier a turn keeps the next turn's writes off this turn's reads
  const uint first = threadIdx.x;
  const uint vectors = blockDim.x * UNROLL;
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) value[u] = in[blockIdx.x * vectors + first + u * blockDim.x];
  uint sum = 0;
  uint half = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x, half ^= vectors) {
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) stage[half + first + u * blockDim.x] = value[u];
    __syncthreads();
    const uint next = min(tile + gridDim.x, params.tiles - 1);  // the last turn's loads go unused
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) value[u] = in[next * vectors + first + u * blockDim.x];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) sum += sum_of(stage[half + (first ^ 1) + u * blockDim.x]);
  }
  store_block_sum(sum, sums);
}

extern "C" __global__ void read_staged_1(const uint4* __restrict__ in, uint* sums, TileParams params) {
  read_staged<1>(in, sums, params);
}
extern "C" __global__ void read_staged_2(const uint4* __restrict__ in, uint* sums, TileParams params) {
  read_staged<2>(in, sums, params);
}
extern "C" __global__ void read_staged_4(const uint4* __restrict__ in, uint* sums, TileParams params) {
  read_staged<4>(in, sums, params);
}
