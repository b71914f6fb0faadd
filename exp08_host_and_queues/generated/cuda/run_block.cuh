// One thread a block waits by the GPU's clock and says that it ran: 4 bytes written a block.
#pragma once

#include "params.h"

__device__ __forceinline__ unsigned int ticks() {
  unsigned int now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

__device__ __forceinline__ void run_block(unsigned int* tags, const JobParams& params, unsigned int block) {
  const unsigned int begin = ticks();
  unsigned int now = begin;
  for (unsigned int turn = 0; turn < params.max_turns && now - begin < params.ticks; ++turn) now = ticks();
  tags[params.first + block] = EXP08_TAG(params.first + block);
}
