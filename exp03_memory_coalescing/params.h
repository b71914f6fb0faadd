// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP03_PARAMS_H
#define EXP03_PARAMS_H

#include "core/base/shader_types.h"

// One for all kernels, so that none differs from another in what it is handed.
struct AccessParams {
  uint count;   // elements
  uint offset;  // read_offset, write_offset: in floats
  uint zero;    // read_aos_vec4: 0, which no compiler can know
};
BENCH_ASSERT_SIZE(AccessParams, 12);

// Neither has an alignment above its floats' 4 bytes: a compiler has to prove that a wider access is allowed.
struct Particle {
  float x, y, z, w;
};
BENCH_ASSERT_SIZE(Particle, 16);

struct InnerStruct {
  float x, y;
};
BENCH_ASSERT_SIZE(InnerStruct, 8);

// Whose float thread i reads within its aligned 128-byte line of 32: the odd factor makes it a bijection of 5 bits.
#define EXP03_PERMUTED(i) (((i)*13u + 7u) & 31u)

#endif
