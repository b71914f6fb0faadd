// No GLSL twin: Vulkan has no copy from memory to shared memory that passes by the registers.
// A ring of STAGES tiles in shared memory, filled by cp.async: STAGES - 1 tiles in flight while the block computes on one.
#include "chain.cuh"

template <uint STAGES>
__device__ __forceinline__ void overlap_cp_async(const uint4* in, uint* sums, const OverlapParams& params) {
  extern __shared__ uint4 ring[];
  constexpr uint kTileVectors = EXP06_BLOCK * EXP06_VECTORS;
  uint ahead = blockIdx.x;
  uint fill = 0;
  // A group a tile, empty ones at the end: the wait below counts groups.
  const auto issue = [&] {
    if (ahead < params.tiles) {
      const uint4* from = in + ahead * kTileVectors + threadIdx.x;
      const uint to = static_cast<uint>(__cvta_generic_to_shared(ring + fill * kTileVectors + threadIdx.x));
#pragma unroll
      for (uint v = 0; v < EXP06_VECTORS; ++v)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + v * EXP06_BLOCK * 16), "l"(from + v * EXP06_BLOCK)
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    ahead += gridDim.x;
    fill = fill + 1 == STAGES ? 0 : fill + 1;
  };
#pragma unroll 1
  for (uint stage = 0; stage + 1 < STAGES; ++stage) issue();
  uint sum = 0;
  uint stage = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();  // everyone's copies of this tile are there, and everyone is done with the one before
    issue();          // into the place of the one before
    uint4 value[EXP06_VECTORS];
    take_part(value, ring + stage * kTileVectors, threadIdx.x ^ 1);
    sum += sum_of_chains(value, params.turns);
    stage = stage + 1 == STAGES ? 0 : stage + 1;
  }
  store_block_sum(sum, sums);
}

#define OVERLAP_CP_ASYNC(stages)                                                                            \
  extern "C" __global__ void overlap_cp_async_##stages(const uint4* in, uint* sums, OverlapParams params) { \
    overlap_cp_async<stages>(in, sums, params);                                                             \
  }
OVERLAP_CP_ASYNC(2)
OVERLAP_CP_ASYNC(3)
OVERLAP_CP_ASYNC(4)
OVERLAP_CP_ASYNC(8)
