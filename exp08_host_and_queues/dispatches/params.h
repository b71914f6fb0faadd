// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP08_DISPATCHES_PARAMS_H
#define EXP08_DISPATCHES_PARAMS_H

#include "core/base/shader_types.h"

// What one dispatch gets: whose words are its own, and how long each of its blocks works.
struct WorkParams {
  uint first;      // its first block's number among all dispatches' blocks
  uint ticks;      // of the GPU's clock that a block waits; 0: it only stores
  uint max_turns;  // the bound, should the clock stand still
};
BENCH_ASSERT_SIZE(WorkParams, 12);

// Word b of the first buffer, by block b: it ran, once and as itself.
#define EXP08_TAG(b) (((b)*2654435761u) ^ 0x9e3779b9u)
// Of block b in the second buffer: the clock's low word when it began and ended, and its SM.
#define EXP08_TRACE_WORDS 3u
#define EXP08_NO_SM 0xffffffffu

// arguments.comp: what an indirect dispatch reads, for each of `count` of them.
struct ArgumentParams {
  uint count;
  uint blocks;
};
BENCH_ASSERT_SIZE(ArgumentParams, 8);

#endif
