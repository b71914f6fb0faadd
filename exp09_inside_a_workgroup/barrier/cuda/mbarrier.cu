// An mbarrier in shared memory, PTX's and cuda::barrier<thread_scope_block>'s: arrivals release, the wait for their phase
// acquires. mbarrier: every thread arrives, as in cuda::barrier's arrive_and_wait(). mbarrier_warp: one thread of a warp
// arrives for all of it. Every thread waits. See loop.cuh. No GLSL twin: Vulkan has no such barrier. Beside it stands the
// counter, release_acquire.
#include "cuda/kernels/bulk.cuh"
#include "loop.cuh"

// A wait in vain ends after 2 ms, as release_acquire's polls do. The first look comes back by itself after a time of the GPU's.
constexpr unsigned long long kLimitNs = 2'000'000;

template <bool EVERY_THREAD>
__device__ __forceinline__ bool wait_by_mbarrier(uint step) {
  __shared__ alignas(8) unsigned long long barrier;
  if (step == 0) {
    if (threadIdx.x == 0) barrier_init(&barrier, EVERY_THREAD ? blockDim.x : (blockDim.x + 31) / 32);
    __syncthreads();
  }
  if (!EVERY_THREAD) __syncwarp();
  if (EVERY_THREAD || threadIdx.x % 32 == 0) barrier_arrive(&barrier);
  return barrier_wait(&barrier, step & 1, kLimitNs);
}

#define MBARRIER(step) wait_by_mbarrier<true>(step)
#define MBARRIER_WARP(step) wait_by_mbarrier<false>(step)
BARRIER(mbarrier, MBARRIER)
BARRIER(mbarrier_warp, MBARRIER_WARP)
