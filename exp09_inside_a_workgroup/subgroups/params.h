// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of chain_none_*, rate_none_*: nothing
// Per turn of chain_add_float_*, chain_add_shuffles_*, chain_inclusive_add_*, chain_exclusive_add_*: shuffle 5
// Per turn of chain_clustered_add_*: shuffle 3
// Per turn of rate_add_float_*, rate_add_shuffles_*, rate_inclusive_add_*, rate_exclusive_add_*: shuffle 20
// Per turn of rate_clustered_add_*: shuffle 12
// Per turn of chain_add_*, chain_min_*, chain_and_*: redux 1
// Per turn of rate_add_*, rate_min_*, rate_and_*: redux 4
// Per turn of chain_all_*, chain_any_*, chain_ballot_*: vote 1
// Per turn of rate_all_*, rate_any_*, rate_ballot_*: vote 4
// Per turn of chain_*: shuffle 1
// Per turn of rate_*: shuffle 4
#ifndef EXP09_SUBGROUPS_PARAMS_H
#define EXP09_SUBGROUPS_PARAMS_H

#include "core/base/shader_types.h"

struct SubgroupParams {
  uint steps;    // operations of a chain, one after another, a multiple of EXP09_UNROLL
  uint seed;     // of the lanes' first words
  uint advance;  // EXP09_UNROLL, by which the loop counts. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(SubgroupParams, 12);

#define EXP09_UNROLL 8u
#define EXP09_CHAINS 4u   // of a thread, in the kernels of the rate
#define EXP09_CLUSTER 8u  // lanes
#define EXP09_CLUSTER_BITS 3u

// The report's words.
#define EXP09_CYCLES 0
#define EXP09_REPORT 1

// Chain `chain`'s first word in a lane.
BENCH_FUNCTION uint first_word(uint lane, uint chain, uint seed) { return incompressible_word(seed + lane * 4u + chain); }
// Of which operations of floats are made: exact whole numbers, however they are summed.
#define EXP09_SMALL 1023u

// Which lanes take part: those whose lane & FLOW is 0. Specialization constant 2.
#define EXP09_ALL_LANES 0
#define EXP09_EVEN_LANES 1

// Specialization constant 1 of the GLSL kernels; OPERATION's number in CUDA. What the CPU computes for an operation's check.
#define EXP09_NONE 0
#define EXP09_SHUFFLE 1
#define EXP09_SHUFFLE_XOR 2
#define EXP09_SHUFFLE_UP 3
#define EXP09_ROTATE 4
#define EXP09_BROADCAST 5
#define EXP09_BALLOT 6
#define EXP09_ALL 7
#define EXP09_ANY 8
#define EXP09_ADD 9
#define EXP09_ADD_SHUFFLES 10
#define EXP09_MIN 11
#define EXP09_AND 12
#define EXP09_ADD_FLOAT 13
#define EXP09_EXCLUSIVE_ADD 14
#define EXP09_CLUSTERED_ADD 15
#define EXP09_QUAD_SWAP 16
#define EXP09_INCLUSIVE_ADD 17

#endif
