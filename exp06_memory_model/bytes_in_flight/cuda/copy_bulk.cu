// No GLSL twin: Vulkan has no asynchronous copies.
// b = a by bulk copies into shared memory and out of it again, one lane a warp: no data passes through a register. Of a ring's
// STAGES chunks one half is on its way in, the other on its way out.
#include "exp06_memory_model/cuda/bulk.cuh"
#include "params.h"

template <uint STAGES>
__device__ __forceinline__ void copy_bulk(const unsigned char* a, unsigned char* b, const RingParams& params) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char memory[];
  if (threadIdx.x % 32 != 0) return;
  constexpr uint kLeaving = STAGES / 2;
  const uint warp = threadIdx.x / 32;
  const uint warps = blockDim.x / 32;
  unsigned char* ring = memory + warp * STAGES * params.chunk_bytes;
  unsigned long long* barriers =
      reinterpret_cast<unsigned long long*>(memory + warps * STAGES * params.chunk_bytes) + warp * STAGES;
  const uint first = blockIdx.x * warps + warp;
  const uint step = gridDim.x * warps;
  const uint turns = first < params.chunks ? (params.chunks - first + step - 1) / step : 0;
  const auto load = [&](uint turn) {
    const uint stage = turn % STAGES;
    barrier_expect(&barriers[stage], params.chunk_bytes);
    bulk_load(ring + stage * params.chunk_bytes, a + static_cast<size_t>(first + turn * step) * params.chunk_bytes,
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
    if (!barrier_wait(&barriers[stage], turn / STAGES & 1)) break;  // what is missing in b fails the comparison
    bulk_store(b + static_cast<size_t>(first + turn * step) * params.chunk_bytes, ring + stage * params.chunk_bytes,
               params.chunk_bytes);
    if (turn < kLeaving) continue;
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeaving) : "memory");
    if (turn - kLeaving + STAGES < turns) load(turn - kLeaving + STAGES);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

extern "C" __global__ void copy_bulk_4(const unsigned char* a, unsigned char* b, RingParams params) {
  copy_bulk<4>(a, b, params);
}
extern "C" __global__ void copy_bulk_8(const unsigned char* a, unsigned char* b, RingParams params) {
  copy_bulk<8>(a, b, params);
}
