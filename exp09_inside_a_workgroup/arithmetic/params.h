// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of loop_literal*, branch: imul 64
// Per turn of loop_uniform*: imul 1
// Per turn of sum_plain: load32 1, float 1
// Per turn of sum_compensated_*: load32 1, float 4
#ifndef EXP09_ARITHMETIC_PARAMS_H
#define EXP09_ARITHMETIC_PARAMS_H

#include "core/base/shader_types.h"

// branch
struct BranchParams {
  uint steps;  // of a thread
  uint ways;   // paths, a power of two; a step takes one
  uint shift;  // a thread's path is its index >> shift, modulo ways: 0: by lane, 5: by warp
};
BENCH_ASSERT_SIZE(BranchParams, 12);
#define EXP09_WORK 64u  // dependent multiply-adds of one path

// loop
struct LoopParams {
  uint steps;  // of a thread, each a loop of EXP09_BOUND turns
  uint bound;  // EXP09_BOUND. A compiler does not know it
};
BENCH_ASSERT_SIZE(LoopParams, 8);
#define EXP09_BOUND 64u

// precision
struct PrecisionParams {
  uint count;
};
BENCH_ASSERT_SIZE(PrecisionParams, 4);
// Specialization constant 1; OPERATION's number in CUDA.
#define EXP09_DIVIDE 0
#define EXP09_SQRT 1
#define EXP09_INVERSE_SQRT 2
#define EXP09_EXP 3
#define EXP09_LOG 4
#define EXP09_SIN 5
#define EXP09_SIN_LARGE 6
#define EXP09_CONTRACT 7
#define EXP09_LARGE 1000.0f

// sum
struct SumParams {
  uint terms;    // of a thread
  uint advance;  // 1, by which the loop counts. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(SumParams, 8);

// The next number of a branch's chain.
BENCH_FUNCTION uint next_value(uint value, uint more) { return value * 1664525u + (1013904223u + more); }
// Of a loop's. It is not affine: n turns of an affine step are one multiply-add, which compilers find.
BENCH_FUNCTION uint next_of_loop(uint value, uint more) { return (value ^ (value >> 15)) * 1664525u + (1013904223u + more); }

#endif
