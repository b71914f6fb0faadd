// Shared by the CUDA kernels, their GLSL twins and the host code.
#ifndef EXP08_QUEUES_PARAMS_H
#define EXP08_QUEUES_PARAMS_H

#include "core/base/shader_types.h"

struct StayParams {
  uint ticks;      // that a block stays, by the GPU's clock
  uint max_turns;  // looks at the clock, at most: no block stays for ever
};
BENCH_ASSERT_SIZE(StayParams, 8);

#define EXP08_STAY_WORDS 2  // that a block stores: when it began and when it ended, the clock's lower halves
#define EXP08_LOOKS 16      // at the clock in a turn: Mesa's lavapipe ends any loop after 65535 turns

struct WordsParams {
  uint count;   // words
  uint wanted;  // by load_words
};
BENCH_ASSERT_SIZE(WordsParams, 8);

#endif
