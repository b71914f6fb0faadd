// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP00_PARAMS_H
#define EXP00_PARAMS_H

#include "core/base/shader_types.h"

struct ScaleParams {
  uint count;    // elements
  float factor;  // a power of two, so that the product is exact
};
BENCH_ASSERT_SIZE(ScaleParams, 8);

#endif
