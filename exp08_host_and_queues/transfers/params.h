// Shared by the CUDA kernel, its GLSL twin and the host code.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of move_words: load32 1, store32 1
#ifndef EXP08_TRANSFERS_PARAMS_H
#define EXP08_TRANSFERS_PARAMS_H

#include "core/base/shader_types.h"

struct MoveParams {
  uint words;
};
BENCH_ASSERT_SIZE(MoveParams, 4);

#define EXP08_MOVE_BLOCK 256
#define EXP08_MOVE_WORDS 4  // of a thread

#endif
