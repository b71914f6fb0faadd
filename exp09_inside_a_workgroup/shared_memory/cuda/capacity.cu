// Every block fills all of its shared memory, reads it the other way round, and waits: counts[EXP09_MOST] becomes how many
// there were at once, at most.
#include "cuda/kernels/wait.cuh"
#include "params.h"

extern "C" __global__ void capacity(uint* counts, uint* result, CapacityParams params) {
  extern __shared__ uint held[];
  if (threadIdx.x == 0) {
    const uint live = atomicAdd(&counts[EXP09_LIVE], 1u) + 1;
    atomicMax(&counts[EXP09_MOST], live);
  }
  for (uint i = threadIdx.x; i < params.words; i += params.advance) held[i] = incompressible_word(i + blockIdx.x);
  __syncthreads();
  uint sum = 0;
  for (uint i = threadIdx.x; i < params.words; i += params.advance) sum += held[params.words - 1 - i];
  wait(params.ns);
  __syncthreads();
  // No block leaves before it is counted out: what is stored needs what the atomic returns, which is never 0.
  if (threadIdx.x == 0 && atomicAdd(&counts[EXP09_LIVE], 0xffffffffu) == 0) ++sum;
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
