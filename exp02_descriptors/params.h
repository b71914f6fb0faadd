// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP02_PARAMS_H
#define EXP02_PARAMS_H

#include "core/base/shader_types.h"

// `count` floats in each buffer.
struct SumParams {
  uint count;
};
BENCH_ASSERT_SIZE(SumParams, 4);

// What idle_pushed and step_pushed add.
struct PushedParams {
  uint more;
};
BENCH_ASSERT_SIZE(PushedParams, 4);

// Floats in a buffer of the small cases: 8192 * 4 B = 32 KiB. A uniform block must say its size, and 64 KiB is what NVIDIA and
// others offer (maxUniformBufferRange).
#define EXP02_SMALL_FLOATS 8192

#endif
