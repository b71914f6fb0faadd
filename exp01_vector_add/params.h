// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP01_PARAMS_H
#define EXP01_PARAMS_H

#include "core/base/shader_types.h"

// Elements of the kernel's own width: floats, 16-byte vectors, or (tile kernels) 16-byte vectors.
struct CountParams {
  uint count;
};
BENCH_ASSERT_SIZE(CountParams, 4);

// The ruler's buffer: two counters, then each block's first reading of the clock, last reading and least step between two that
// differ, for each of the last launches. The clock's low words: 4.29 s of nanoseconds.
#define RULER_LAUNCHES 0  // so many have begun
#define RULER_TICKETS 1   // blocks of this launch that have read it
#define RULER_HEAD 2
#define RULER_WORDS 3
#define RULER_SLOTS 32u

struct RulerParams {
  uint ticks;      // to wait
  uint max_turns;  // the bound, should the clock stand still
};
BENCH_ASSERT_SIZE(RulerParams, 8);

#endif
