// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of rate_bf16_f32: HMMA.16816.F32.BF16 16
// Per turn of rate_f16_f32: HMMA.16816.F32 16
// Per turn of rate_f16_f16: HMMA.16816.F16 16
// Per turn of rate_s8_s32: IMMA.16832.S8.S8 16
// Per turn of rate_dot_s8: idot 64
// Per turn of rate_fma_f32: float 64
// Per turn of rate_fma_f64: double 64
// Per turn of rate_fma_half2: half 64
#ifndef EXP07_PARAMS_H
#define EXP07_PARAMS_H

#include "core/base/shader_types.h"

// ---- Products: C = A B
// A is m x k, row-major. B is given as n x k, row-major ("K-major"); where a kernel's name ends in "_rows", as k x n,
// row-major. C is m x n, row-major. All are multiples of the tile.
struct MatrixParams {
  uint m;
  uint n;
  uint k;
  uint reserved;  // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(MatrixParams, 16);

// ---- Rates from registers
// A turn multiplies A0 and then A1 with B into all accumulators, or takes EXP07_STEPS_A_TURN steps of each chain.
struct RateParams {
  uint iterations;  // turns
  uint reserved;    // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(RateParams, 8);

// A warp's matrices: A0 and A1 of 16 rows, B of 64 columns, in instructions of 8 or 16 columns each.
#define EXP07_RATE_ROWS 16u
#define EXP07_RATE_COLUMNS 64u
// A warp group's.
#define EXP07_RATE_GROUP_ROWS 64u
#define EXP07_RATE_GROUP_COLUMNS 256u
#define EXP07_RATE_BLOCK 128u

// Arithmetic chains: of a thread, and the steps of each in a turn.
#define EXP07_CHAINS 8u
#define EXP07_STEPS_A_TURN 8u

#endif
