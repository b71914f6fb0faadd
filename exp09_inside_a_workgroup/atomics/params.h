// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of global_*: atomic 1
// Per turn of shared_*: shared_atomic 1
#ifndef EXP09_ATOMICS_PARAMS_H
#define EXP09_ATOMICS_PARAMS_H

#include "core/base/shader_types.h"

struct AtomicParams {
  uint mask;   // addresses less 1; their number is a power of two
  uint steps;  // operations of a thread
  uint turns;  // a loop of compare-and-swaps or exchanges gives up after so many
  uint one;  // 1, what is added, and by which the loop counts: a compiler that knows it might count threads instead, and unroll
};
BENCH_ASSERT_SIZE(AtomicParams, 16);

#define EXP09_BLOCK 256u
#define EXP09_MOST_SHARED 1024u  // addresses in shared memory: 8 bytes each are 8 KiB a block

// Operation `op` of a group (all threads, or a block's in shared memory) goes to this address.
#define EXP09_ADDRESS(op, mask) ((op) & (mask))
// What it brings: the least of these, or the one that came last, must be left.
#define EXP09_LEAST(op) (incompressible_word(op) >> 1)
// Of halves, all of which they hold exactly: 1 to 2048.
#define EXP09_LEAST_HALF(op) ((incompressible_word(op) & 2047u) + 1u)
#define EXP09_NAME(op) ((op) + 1u)
// What a thread reports whose loop gave up.
#define EXP09_GAVE_UP 0xffffffffu

#endif
