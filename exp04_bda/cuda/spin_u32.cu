// Every thread takes `steps` steps of a generator, each needing the one before: arithmetic alone, so the SM's clock alone.
#include "params.h"

extern "C" __global__ void spin_u32(uint* b, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  uint value = i;
#pragma unroll 1
  for (uint step = 0; step < params.steps; step += EXP04_TURN) {
#pragma unroll
    for (uint j = 0; j < EXP04_TURN; ++j) value = EXP04_SPUN(value);
  }
  b[i] = value;
}
