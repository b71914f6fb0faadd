// No GLSL twin: Vulkan has no copy from memory to shared memory that passes by the registers.
// Everything read once by cp.async, STAGES copies of 16 bytes in flight a thread; a thread reads only what it copied itself, so
// nothing but its own wait orders them.
#include "exp06_memory_model/cuda/sums.cuh"
#include "params.h"

__device__ __forceinline__ void copy_async(uint4* to, const uint4* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint>(__cvta_generic_to_shared(to))), "l"(from)
               : "memory");
}

template <uint STAGES>
__device__ __forceinline__ void read_cp_async(const uint4* in, uint* sums, TileParams params) {
  extern __shared__ uint4 ring[];
  uint ahead = blockIdx.x;
  // A group a stage, empty ones at the end: the wait below counts groups.
  const auto issue = [&](uint4* slot) {
    if (ahead < params.tiles) copy_async(slot, in + ahead * blockDim.x + threadIdx.x);
    asm volatile("cp.async.commit_group;" ::: "memory");
    ahead += gridDim.x;
  };
#pragma unroll 1
  for (uint stage = 0; stage < STAGES; ++stage) issue(&ring[stage * blockDim.x + threadIdx.x]);
  uint sum = 0;
  uint stage = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    uint4* slot = &ring[stage * blockDim.x + threadIdx.x];
    sum += sum_of(*slot);
    issue(slot);
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  }
  store_block_sum(sum, sums);
}

#define READ_CP_ASYNC(stages)                                                                         \
  extern "C" __global__ void read_cp_async_##stages(const uint4* in, uint* sums, TileParams params) { \
    read_cp_async<stages>(in, sums, params);                                                          \
  }
READ_CP_ASYNC(1)
READ_CP_ASYNC(2)
READ_CP_ASYNC(4)
READ_CP_ASYNC(8)
