// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of link*: imul 1
#ifndef EXP08_ORDER_PARAMS_H
#define EXP08_ORDER_PARAMS_H

#include "core/base/shader_types.h"

#define EXP08_LANES 32u
#define EXP08_SEED 0xffffffffu  // in place of a row to read

// One link: row `to` from row `from`, `turns` steps on.
struct LinkParams {
  uint to;
  uint from;   // a row, or EXP08_SEED
  uint turns;  // at least 1
};
BENCH_ASSERT_SIZE(LinkParams, 12);

// A permutation of all words, without a fixed point that a row starts from. No compiler makes one step of several: it is not
// affine.
#define EXP08_STEP(x) (((x) ^ ((x) >> 15)) * 1664525u + 1013904223u)
#define EXP08_START(lane) ((lane)*2654435761u)
// What is in word i of a chain whose links overwrite, ahead of each launch.
#define EXP08_BEFORE(i) (((i)*2654435761u) ^ 0x5bd1e995u)

#endif
