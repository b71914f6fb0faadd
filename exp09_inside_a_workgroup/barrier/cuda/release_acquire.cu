// A barrier made of one counter in shared memory: each warp adds to it with release, and polls it with acquire. See loop.cuh.
#include "loop.cuh"

__device__ __forceinline__ unsigned shared_address(uint* word) { return static_cast<unsigned>(__cvta_generic_to_shared(word)); }

__device__ __forceinline__ bool wait_for_all(uint step, uint spins) {
  __shared__ uint arrived;
  if (step == 0) {
    if (threadIdx.x == 0) arrived = 0;
    __syncthreads();
  }
  __syncwarp();
  bool in_time = false;
  if (threadIdx.x % 32 == 0) {
    asm volatile("red.release.cta.shared.add.u32 [%0], 1;" ::"r"(shared_address(&arrived)) : "memory");
    const uint wanted = (blockDim.x + 31) / 32 * (step + 1);
#pragma unroll 1
    for (uint spin = 0; spin < spins && !in_time; ++spin) {
      uint found;
      asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(found) : "r"(shared_address(&arrived)) : "memory");
      in_time = found >= wanted;
    }
  } else {
    in_time = true;
  }
  __syncwarp();
  return in_time;
}

#define RELEASE_ACQUIRE(step) wait_for_all(step, params.spins)
BARRIER(release_acquire, RELEASE_ACQUIRE)
