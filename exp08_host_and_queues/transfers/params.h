// Shared by the CUDA kernel, its GLSL twin and the host code.
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
