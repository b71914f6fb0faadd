// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of read_once_16: load128 1
// Per turn of read_once_8: load64 1
// Per turn of read_*: load32 1
// Per turn of source_*: load32 1, float 1
// Per turn of write_once_16: store128 1
// Per turn of write_once_8: store64 1
// Per turn of write_*: store32 1
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
  uint places;   // of a window
  uint stride;   // words between neighbouring places
  uint turns;    // loads a thread
  uint advance;  // 1, by which the loop counts. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(WindowParams, 16);

// The post's index, for a power of two of elements: visits count / gcd(count, stride) of them, each gcd times.
#define EXP05_FOLDED(i, params) (((i) * (params).stride) & ((params).count - 1u))
// A permutation: every time the folded index begins anew, one element further on.
#define EXP05_ONCE(i, params) (EXP05_FOLDED(i, params) + ((i) >> (params).shift))

#endif
