// Every warp has a ring of `stages` chunks in shared memory and keeps a bulk copy in flight for each: one lane issues, all
// lanes sum up what has come.
#pragma once

#include "cuda/kernels/bulk.cuh"
#include "exp06_memory_model/cuda/sums.cuh"
#include "params.h"

constexpr uint kWarpBytes = 512;  // 16 a lane

// A lane's part, four vectors at a time (see read_plain): one at a time, a warp would spend its time waiting for shared memory.
__device__ __forceinline__ uint sum_of_chunk(const uint4* slot, uint vectors, uint none) {
  uint sum = 0;
  uint i = 0;
#pragma unroll 1
  for (; i + 4 <= vectors; i += 4) {
    uint4 value[4];
#pragma unroll
    for (uint u = 0; u < 4; ++u) value[u] = slot[32 * (i + u)];
    if ((value[0].x & value[1].x & value[2].x & value[3].x & none) != 0) break;
    sum += sum_of(value[0]) + sum_of(value[1]) + sum_of(value[2]) + sum_of(value[3]);
  }
#pragma unroll 1
  for (; i < vectors; ++i) sum += sum_of(slot[32 * i]);
  return sum;
}

// load(slot, chunk, barrier) starts the copy of a chunk.
template <class Load>
__device__ __forceinline__ void read_ring(const Load& load, uint* sums, const RingParams& params, uint block = blockIdx.x,
                                          uint blocks = gridDim.x) {
  extern __shared__ __align__(128) unsigned char memory[];  // the rings, then a barrier for each of their chunks
  const uint warp = threadIdx.x / 32;
  const uint lane = threadIdx.x % 32;
  const uint warps = blockDim.x / 32;
  unsigned char* ring = memory + warp * params.stages * params.chunk_bytes;
  unsigned long long* barriers =
      reinterpret_cast<unsigned long long*>(memory + warps * params.stages * params.chunk_bytes) + warp * params.stages;

  const uint first = block * warps + warp;
  const uint step = blocks * warps;
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
    sum += sum_of_chunk(slot + lane, params.chunk_bytes / kWarpBytes, params.none);
    __syncwarp();  // every lane has read its part before the slot is filled again
    if (ok) issue(stage);
    if (++stage == params.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  if (__syncthreads_and(ok)) store_block_sum(sum, sums, block);  // a copy that never came leaves no sum
}
