// Clears the words of the next work's blocks, 4 bytes written a block, and tells a graph's IF node whether to run it.
#include "cuda/conditional.cuh"
#include "params.h"

extern "C" __global__ void decide(unsigned int* tags, DecideParams params) {
  for (unsigned int i = threadIdx.x; i < params.blocks; i += blockDim.x) tags[params.first + i] = EXP08_NOT_RUN;
  if (threadIdx.x == 0) tell(params.decision, params.runs);
}
