// Counts a loop's steps: 8 bytes read and written by one thread.
#pragma once

#include "params.h"

// Whether another step follows. A loop that runs on where it should have ended is stopped here: nothing else bounds it.
__device__ __forceinline__ bool another_step(unsigned int* state, const AdvanceParams& params) {
  const unsigned int done = params.begins != 0 ? 0 : state[EXP08_STATE_DONE] + 1;
  if (done > params.steps) __trap();
  state[EXP08_STATE_DONE] = done;
  if (params.begins != 0) state[EXP08_STATE_ERROR] = 0;
  return done < params.steps;
}
