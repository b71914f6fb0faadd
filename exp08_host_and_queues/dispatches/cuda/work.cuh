// One thread a block waits by the GPU's clock, says that it ran, and when and where: 16 bytes written a block.
#pragma once

#include "cuda/kernels/sm_id.cuh"
#include "params.h"

__device__ __forceinline__ unsigned int ticks() {
  unsigned int now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

__device__ __forceinline__ void run_block(unsigned int* tags, unsigned int* trace, const WorkParams& params) {
  if (threadIdx.x != 0) return;
  const unsigned int begin = ticks();
  unsigned int end = begin;
  for (unsigned int turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) end = ticks();
  const unsigned int block = params.first + blockIdx.x;
  tags[block] = EXP08_TAG(block);
  unsigned int* mine = trace + block * EXP08_TRACE_WORDS;
  mine[0] = begin;
  mine[1] = end;
  mine[2] = sm_id();
}
