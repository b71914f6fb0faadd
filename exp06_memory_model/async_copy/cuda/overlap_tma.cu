// No GLSL twin: Vulkan has no asynchronous copies.
// A ring of `stages` tiles in shared memory, filled by one thread through a 2-D tensor map: stages - 1 tiles in flight while
// the block computes on one.
#include "chain.cuh"
#include "cuda/kernels/bulk.cuh"
#include "tensor_params.h"

extern "C" __global__ void overlap_tma(const uint4*, uint* sums, const __grid_constant__ OverlapTensorParams params) {
  extern __shared__ __align__(128) unsigned char memory[];  // the tiles, then a barrier for each
  const uint stages = params.overlap.stages;
  unsigned long long* full = reinterpret_cast<unsigned long long*>(memory + stages * EXP06_TILE_BYTES);
  const uint tiles = params.overlap.tiles;
  uint ahead = blockIdx.x;
  uint fill = 0;
  const auto issue = [&] {
    if (ahead < tiles) {
      barrier_expect(&full[fill], EXP06_TILE_BYTES);
      tensor_load(memory + fill * EXP06_TILE_BYTES, &params.map, 0, ahead * (EXP06_TILE_BYTES / (EXP06_ROW_WORDS * 4)),
                  &full[fill]);
    }
    ahead += gridDim.x;
    fill = fill + 1 == stages ? 0 : fill + 1;
  };
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (uint stage = 0; stage < stages; ++stage) barrier_init(&full[stage]);
    fence_async();
#pragma unroll 1
    for (uint stage = 0; stage + 1 < stages; ++stage) issue();
  }
  __syncthreads();
  uint sum = 0;
  uint stage = 0;
  uint parity = 0;
  bool ok = true;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    ok = ok && barrier_wait(&full[stage], parity);  // one that gave up waits no more
    __syncthreads();                                // everyone is done with the tile before, into whose place the next goes
    if (threadIdx.x == 0 && ok) issue();
    uint4 value[EXP06_VECTORS];
    take_part(value, reinterpret_cast<const uint4*>(memory + stage * EXP06_TILE_BYTES), threadIdx.x ^ 1);
    sum += sum_of_chains(value, params.overlap.turns);
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  if (__syncthreads_and(ok)) store_block_sum(sum, sums);  // a copy that never came leaves no sum
}
