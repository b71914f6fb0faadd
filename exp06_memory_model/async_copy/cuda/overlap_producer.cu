// No GLSL twin: Vulkan has no asynchronous copies.
// A ring of `stages` tiles in shared memory. One warp more than computes issues bulk copies into it, and waits for nothing but
// room: the others say of a tile when they have taken it into their registers.
#include "chain.cuh"
#include "cuda/kernels/bulk.cuh"

extern "C" __global__ void overlap_producer(const unsigned char* in, uint* sums, OverlapParams params) {
  extern __shared__ __align__(128) unsigned char memory[];  // the tiles, then two barriers for each
  unsigned long long* full = reinterpret_cast<unsigned long long*>(memory + params.stages * EXP06_TILE_BYTES);
  unsigned long long* empty = full + params.stages;
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (uint stage = 0; stage < params.stages; ++stage) {
      barrier_init(&full[stage]);
      barrier_init(&empty[stage], EXP06_BLOCK / 32);  // a warp each
    }
    fence_async();
  }
  __syncthreads();
  uint sum = 0;
  uint stage = 0;
  uint parity = 0;
  bool ok = true;
  const auto advance = [&] {
    if (++stage == params.stages) {
      stage = 0;
      parity ^= 1;
    }
  };
  if (threadIdx.x < EXP06_BLOCK) {
#pragma unroll 1
    for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
      ok = ok && barrier_wait(&full[stage], parity);  // one that gave up waits no more
      uint4 value[EXP06_VECTORS];
      take_part(value, reinterpret_cast<const uint4*>(memory + stage * EXP06_TILE_BYTES), threadIdx.x ^ 1);
      __syncwarp();
      if (threadIdx.x % 32 == 0) barrier_arrive(&empty[stage]);
      sum += sum_of_chains(value, params.turns);
      advance();
    }
  } else if (threadIdx.x == EXP06_BLOCK) {
#pragma unroll 1
    for (uint tile = blockIdx.x; tile < params.tiles && ok; tile += gridDim.x) {
      ok = barrier_wait(&empty[stage], parity ^ 1);  // of a fresh barrier the phase before the first counts as complete
      if (ok) {
        barrier_expect(&full[stage], EXP06_TILE_BYTES);
        bulk_load(memory + stage * EXP06_TILE_BYTES, in + static_cast<size_t>(tile) * EXP06_TILE_BYTES, EXP06_TILE_BYTES,
                  &full[stage]);
      }
      advance();
    }
  }
  __syncwarp();
  if (__syncthreads_and(ok)) store_block_sum(sum, sums);  // a copy that never came leaves no sum
}
