// Counts each instance's outcome, and sets everything back for the next launch of a test: one instance a turn.
#include "params.h"

extern "C" __global__ void tally(uint* locations, uint* registers, uint* scratch, uint* histogram, LitmusParams params) {
  __shared__ uint counts[LITMUS_OUTCOMES];
  for (uint i = threadIdx.x; i < LITMUS_OUTCOMES; i += blockDim.x) counts[i] = 0;
  __syncthreads();

  const uint instances = litmus_instances(params);
  const uint step = gridDim.x * blockDim.x;
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < instances; i += step) {
    uint outcome = 0;
#pragma unroll
    for (uint digit = 0; digit < LITMUS_REGISTERS; ++digit) {
      if ((params.used >> digit & 1) == 0) continue;
      uint& word = registers[digit * instances + i];
      outcome |= min(word, 3u) << 2 * digit;
      word = LITMUS_UNSET;
    }
#pragma unroll
    for (uint plane = 0; plane < 2; ++plane) {
      const uint digit = LITMUS_REGISTERS + plane;
      uint& word = locations[litmus_location(params, plane, i)];
      if ((params.used >> digit & 1) != 0) outcome |= min(word, 3u) << 2 * digit;
      word = 0;
    }
    atomicAdd(counts + outcome, 1);
  }
  if (blockIdx.x == 0) {
    for (uint i = threadIdx.x; i < LITMUS_MAX_ROUNDS; i += blockDim.x) scratch[i * LITMUS_LINE] = 0;
  }

  __syncthreads();
  for (uint i = threadIdx.x; i < LITMUS_OUTCOMES; i += blockDim.x) {
    if (counts[i] != 0) atomicAdd(histogram + i, counts[i]);
  }
}
