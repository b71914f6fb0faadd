// Each block fills params.steps words of shared memory and stores them in reverse: 4 bytes written a word, nothing read.
#include "params.h"

extern "C" __global__ void shared_u32(uint* b, BdaParams params) {
  extern __shared__ uint words[];
  const uint first = blockIdx.x * params.steps;
  for (uint i = threadIdx.x; i < params.steps; i += params.count) words[i] = EXP04_RAMP(first + i);
  __syncthreads();
  for (uint i = threadIdx.x; i < params.steps; i += params.count) b[first + i] = words[params.steps - 1 - i];
}
