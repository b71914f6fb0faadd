// Every block is counted while it waits for params.ns: counts[EXP06_MOST] becomes how many there were at once, at most.
#include "cuda/kernels/wait.cuh"
#include "params.h"

extern "C" __global__ void resident(uint* counts, ResidentParams params) {
  if (threadIdx.x != 0) return;
  const uint live = atomicAdd(&counts[EXP06_LIVE], 1u) + 1;
  atomicMax(&counts[EXP06_MOST], live);
  wait(params.ns);
  atomicSub(&counts[EXP06_LIVE], 1u);
  __threadfence();  // not before this is done may another block have its place
}
