// A full GPU: each step goes through all paths, of which a thread takes one. Nothing read; 4 bytes written a thread.
#include "params.h"

extern "C" __global__ void branch(uint* result, BranchParams params) {
  const uint path = (threadIdx.x >> params.shift) & (params.ways - 1);
  uint value = threadIdx.x;
#pragma unroll 1
  for (uint step = 0; step < params.steps; ++step) {
#pragma unroll 1
    for (uint way = 0; way < params.ways; ++way) {
      if (way == path) {
#pragma unroll
        for (uint k = 0; k < EXP09_WORK; ++k) value = next_value(value, way);
      }
    }
  }
  result[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
