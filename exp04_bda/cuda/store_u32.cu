// Word i of the output becomes incompressible_word(i): one 4-byte store a thread, coalesced, and no load.
#include "params.h"

extern "C" __global__ void store_u32(uint* b, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = incompressible_word(i);
}
