// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP01_PARAMS_H
#define EXP01_PARAMS_H

#include "core/shader_types.h"

// Elements of the kernel's own width: floats, 16-byte vectors, or (tile kernels) 16-byte vectors.
struct CountParams {
  uint count;
};
BENCH_ASSERT_SIZE(CountParams, 4);

// What write_tile stores in 32-bit word i: an odd multiplier (Knuth's 2^32 / phi) makes every word another.
#define EXP01_WRITE_MULTIPLIER 2654435761u

#endif
