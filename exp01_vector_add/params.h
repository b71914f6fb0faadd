// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP01_PARAMS_H
#define EXP01_PARAMS_H

#include "core/shader_types.h"

// Elements of the kernel's own width: floats, 16-byte vectors, or (tile kernels) 16-byte vectors.
struct CountParams {
  uint count;
};
BENCH_ASSERT_SIZE(CountParams, 4);

#endif
