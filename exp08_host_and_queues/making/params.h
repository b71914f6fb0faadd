// Shared by the CUDA kernels, their GLSL twins and the host code.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of turns_*: imul 1
#ifndef EXP08_MAKING_PARAMS_H
#define EXP08_MAKING_PARAMS_H

#include "core/base/shader_types.h"

// A number in a kernel's code, by which one kernel differs from the next: no cache has seen it before. Ten digits, which PTX
// spells as they are here, and which stand nowhere else in it.
#define EXP08_MARK 1234567891u
#define EXP08_MADE_BLOCK 64
#define EXP08_SMALL_STEPS 4
#define EXP08_LARGE_STEPS 1024

// What a made kernel stores: a word that depends on its mark, by so many steps.
BENCH_FUNCTION uint made_step(uint x, uint k) { return (x ^ (x >> 15)) * (2654435761u + 2u * k); }

struct TurnsParams {
  uint count;  // words
  uint turns;  // where the kernel is told at the launch
};
BENCH_ASSERT_SIZE(TurnsParams, 8);
#define EXP08_TURNS 24

#endif
