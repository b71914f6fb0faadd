// One thread a block stays by the GPU's clock, and stores when it began and ended: 8 bytes a block.
#include "params.h"

__device__ __forceinline__ uint ticks() {
  uint now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

extern "C" __global__ void stay(uint* spans, StayParams params) {
  if (threadIdx.x != 0) return;
  const uint begin = ticks();
  uint end = begin;
  for (uint turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) {
#pragma unroll
    for (uint look = 0; look < EXP08_LOOKS; ++look) end = ticks();
  }
  spans[blockIdx.x * EXP08_STAY_WORDS] = begin;
  spans[blockIdx.x * EXP08_STAY_WORDS + 1] = end;
}
