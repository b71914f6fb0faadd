// Bulk copies into shared memory and out of it again, one lane a warp, each warp through a ring of its own: no data passes
// through a register. Of a ring's STAGES chunks one half is on its way in, the other on its way out.
#pragma once

#include "cuda/kernels/bulk.cuh"
#include "params.h"

// store(chunk, slot) starts the copy of a chunk from shared memory, as a bulk group of its own.
template <uint STAGES, class Store>
__device__ __forceinline__ void copy_warp_rings(const unsigned char* from, const Store& store, const RingParams& params,
                                                uint block = blockIdx.x, uint blocks = gridDim.x) {
  extern __shared__ __align__(128) unsigned char memory[];
  if (threadIdx.x % 32 != 0) return;
  constexpr uint kLeaving = STAGES / 2;
  const uint warp = threadIdx.x / 32;
  const uint warps = blockDim.x / 32;
  unsigned char* ring = memory + warp * STAGES * params.chunk_bytes;
  unsigned long long* barriers =
      reinterpret_cast<unsigned long long*>(memory + warps * STAGES * params.chunk_bytes) + warp * STAGES;
  const uint first = block * warps + warp;
  const uint step = blocks * warps;
  const uint turns = first < params.chunks ? (params.chunks - first + step - 1) / step : 0;
  const auto load = [&](uint turn) {
    const uint stage = turn % STAGES;
    barrier_expect(&barriers[stage], params.chunk_bytes);
    bulk_load(ring + stage * params.chunk_bytes, from + static_cast<size_t>(first + turn * step) * params.chunk_bytes,
              params.chunk_bytes, &barriers[stage]);
  };
#pragma unroll 1
  for (uint stage = 0; stage < STAGES; ++stage) barrier_init(&barriers[stage]);
  fence_async();
#pragma unroll 1
  for (uint turn = 0; turn < STAGES && turn < turns; ++turn) load(turn);
#pragma unroll 1
  for (uint turn = 0; turn < turns; ++turn) {
    const uint stage = turn % STAGES;
    if (!barrier_wait(&barriers[stage], turn / STAGES & 1)) break;  // what is missing in the copy fails the comparison
    store(first + turn * step, ring + stage * params.chunk_bytes);
    if (turn < kLeaving) continue;
    bulk_wait_read<kLeaving>();
    if (turn - kLeaving + STAGES < turns) load(turn - kLeaving + STAGES);
  }
  bulk_wait();
}
