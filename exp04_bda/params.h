// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of chase, chase_address: load32 1
// Per turn of loop_f32*: load32 1, store32 1
// Per turn of spin_u32: imul 1
#ifndef EXP04_PARAMS_H
#define EXP04_PARAMS_H

#include "core/base/shader_types.h"

// One for all kernels, so that none differs from another in what it is handed.
struct BdaParams {
  uint count;  // elements of the kernel's own width; chase: nodes, a power of two; shared_u32: threads of a block, by which its
               // loops count (no compiler unrolls a loop whose step it does not know)
  uint in_bytes;  // of the input and of the output buffer: what a descriptor knows and an address does not
  uint out_bytes;
  uint steps;  // chase: loads a lane, one after another; spin_u32: steps, a multiple of EXP04_TURN;
               // gather_u32: log2(count / 32)
};
BENCH_ASSERT_SIZE(BdaParams, 16);

// Alignment 4: a compiler may not assume that 16-byte accesses are allowed.
struct Quad {
  float x, y, z, w;
};
BENCH_ASSERT_SIZE(Quad, 16);

// Alignment 4, likewise: exp03's inner_struct.
struct Pair {
  float x, y;
};
BENCH_ASSERT_SIZE(Pair, 8);

// What write_ramp stores in word i: an odd factor (Knuth's 2^32 / phi) makes every word another.
#define EXP04_RAMP(i) ((i)*2654435761u)

// What an output holds before a kernel runs, and no input ever does (a NaN).
#define EXP04_POISON 0xffffffffu

// The node after node i of 2^k: a full-period generator modulo any power of two (Hull & Dobell 1962: factor % 4 == 1, odd
// summand), so that one cycle visits every node once.
#define EXP04_NEXT(i, count) (((i)*1664525u + 1013904223u) & ((count)-1u))
// Where lane l of the chase starts: far from its neighbours.
#define EXP04_START(lane, count) (((lane)*2654435761u) & ((count)-1u))

// A step of spin_u32: no compiler can make one of two (a linear generator's steps merge).
#define EXP04_SPUN(value) (((value) ^ 0x9e3779b9u) * 1664525u)
// Steps of spin_u32 a turn of its loop.
#define EXP04_TURN 64u

// Values that empty_one_slot's branch keeps alive: with some registers more, 256 threads leave no room for 256 others on an SM
// of 65536 registers.
#define EXP04_ALIVE 144u

// Which of 2^k elements (k >= 5) gather_u32's thread i reads: 32 on from its neighbour's, one on with every lap; each once.
#define EXP04_GATHERED(i, count, shift) ((((i)*32u) & ((count)-1u)) + ((i) >> (shift)))

#endif
