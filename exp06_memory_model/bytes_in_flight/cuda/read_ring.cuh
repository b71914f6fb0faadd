// Every warp has a ring of `stages` chunks in shared memory and keeps a bulk copy in flight for each: one lane issues, all
// lanes sum up what has come.
#pragma once

#include "bulk.cuh"
#include "sums.cuh"

#if __CUDA_ARCH__ >= 900

// load(slot, chunk, barrier) starts the copy of a chunk.
template <class Load>
__device__ __forceinline__ void read_ring(const Load& load, uint* sums, const RingParams& params) {
  extern __shared__ __align__(128) unsigned char memory[];  // the rings, then a barrier for each of their chunks
  const uint warp = threadIdx.x / 32;
  const uint lane = threadIdx.x % 32;
  const uint warps = blockDim.x / 32;
  unsigned char* ring = memory + warp * params.stages * params.chunk_bytes;
  unsigned long long* barriers =
      reinterpret_cast<unsigned long long*>(memory + warps * params.stages * params.chunk_bytes) + warp * params.stages;

  const uint first = blockIdx.x * warps + warp;
  const uint step = gridDim.x * warps;
  uint ahead = first;
  const auto issue = [&](uint stage) {
    if (ahead < params.chunks && lane == 0) {
      barrier_expect(&barriers[stage], params.chunk_bytes);
      load(ring + stage * params.chunk_bytes, ahead, &barriers[stage]);
    }
    ahead += step;
  };
  if (lane == 0) {
#pragma unroll 1
    for (uint stage = 0; stage < params.stages; ++stage) barrier_init(&barriers[stage]);
    fence_async();
  }
  __syncwarp();
#pragma unroll 1
  for (uint stage = 0; stage < params.stages; ++stage) issue(stage);

  uint sum = 0;
  uint stage = 0;
  uint parity = 0;
  bool ok = true;
#pragma unroll 1
  for (uint chunk = first; chunk < params.chunks && ok; chunk += step) {
    ok = __all_sync(0xffffffffu, barrier_wait(&barriers[stage], parity));
    const uint4* slot = reinterpret_cast<const uint4*>(ring + stage * params.chunk_bytes);
#pragma unroll 4
    for (uint i = lane; i < params.chunk_bytes / 16; i += 32) sum += sum_of(slot[i]);
    __syncwarp();  // every lane has read its part before the slot is filled again
    if (ok) issue(stage);
    if (++stage == params.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  if (__syncthreads_and(ok)) store_block_sum(sum, sums);  // a copy that never came leaves no sum
}

#endif
