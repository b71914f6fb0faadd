// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of none_alone: nothing
// Per turn of release_acquire_*: shared_atomic 1
// Per turn of *_exchange: shared_load32 1, shared_store32 1
#ifndef EXP09_BARRIER_PARAMS_H
#define EXP09_BARRIER_PARAMS_H

#include "core/base/shader_types.h"

struct BarrierParams {
  uint steps;  // of a thread, a multiple of EXP09_UNROLL
  uint group;  // neighbours that exchange words: thread t reads what (t + shift) % group of its group has stored
  uint shift;
  uint spins;    // release_acquire: polls, before a thread gives up
  uint advance;  // EXP09_UNROLL, by which the loop counts. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(BarrierParams, 20);

#define EXP09_UNROLL 4u
#define EXP09_THREADS 1024u  // of a block, at most

// The report's words.
#define EXP09_CYCLES 0
#define EXP09_STEPS 1
#define EXP09_REPORT 2

// Specialization constant 1 of the GLSL kernels.
#define EXP09_NONE 0
#define EXP09_CONTROL 1
#define EXP09_BARRIER 2
#define EXP09_MEMORY_SHARED 3
#define EXP09_MEMORY_THEN_BARRIER 4
#define EXP09_GROUP_THEN_BARRIER 5
#define EXP09_BARRIER_BUFFER 6
#define EXP09_FENCE_BLOCK 7
#define EXP09_FENCE_BLOCK_THEN_BARRIER 8
#define EXP09_SUBGROUP 9

#endif
