// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP05_PARAMS_H
#define EXP05_PARAMS_H

#include "core/base/shader_types.h"

struct StrideParams {
  uint count;   // elements, a power of two
  uint stride;  // in elements, between neighbouring threads
  uint shift;   // log2(count / gcd(count, stride)): how many elements (i * stride) % count visits
};
BENCH_ASSERT_SIZE(StrideParams, 12);

struct WindowParams {
  uint places;  // of a window
  uint stride;  // words between neighbouring places
  uint turns;   // loads a thread
};
BENCH_ASSERT_SIZE(WindowParams, 12);

// The post's index, for a power of two of elements: visits count / gcd(count, stride) of them, each gcd times.
#define EXP05_FOLDED(i, params) (((i) * (params).stride) & ((params).count - 1u))
// A permutation: every time the folded index begins anew, one element further on.
#define EXP05_ONCE(i, params) (EXP05_FOLDED(i, params) + ((i) >> (params).shift))

#endif
