// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of message_*: load32 16
// Per turn of load_*: load32 1
// Per turn of store_*, fence_rate_*: store32 1
// Per turn of add_*, cas_*: atomic 1
// Per turn of fence_*: barrier 2
#ifndef EXP06_ORDERING_PARAMS_H
#define EXP06_ORDERING_PARAMS_H

#include "core/base/shader_types.h"

struct OrderParams {
  uint steps;    // operations of a thread, one after another; fence: turns; message: rounds
  uint mask;     // words of the data (fence: 16-byte vectors) less 1; their number is a power of two
  uint vectors;  // fence: 16-byte stores of the block before each fence
  uint spins;    // message: EXP06_POLLS polls each, before a thread gives up
  uint zero;     // 0. A compiler that does not know it cannot answer a load of word `zero` with what was stored to word 0,
                 // nor a poll with the one before
  uint advance;  // by which a loop counts: rates EXP06_UNROLL, else 1. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(OrderParams, 24);

// The node after node i of 2^k: a full-period generator modulo any power of two (Hull & Dobell 1962: factor % 4 == 1, odd
// summand), so that one cycle visits every node once.
#define EXP06_NEXT(i, mask) (((i)*1664525u + 1013904223u) & (mask))
// What the store of turn r leaves in word i.
#define EXP06_STORED(i, r) (((i)*2654435761u) ^ (r))

// Loads, stores and read-modify-writes that a thread of the throughput kernels has under way before it uses a result.
#define EXP06_UNROLL 4

#define EXP06_POLLS 16
// Message: each block's flag, payload and report lie in lines of their own. 64 words * 4 B = 256 B: two lines of 128 B.
#define EXP06_LINE 64u
#define EXP06_FLAG(block) ((block)*EXP06_LINE)
#define EXP06_PAYLOAD(block) ((block)*EXP06_LINE + 2u * EXP06_LINE)
// What accompanies flag value f.
#define EXP06_MESSAGE(f) ((f)*2654435761u)

// The output's words. A chain's: where it ended, and the SM's cycles. A message's: each block's rounds, stale payloads and SM.
#define EXP06_OUT_VALUE 0
#define EXP06_OUT_CYCLES 1
#define EXP06_OUT_ROUNDS 0
#define EXP06_OUT_STALE 2
#define EXP06_OUT_SM 4

// Specialization constants 1 and 2 of the GLSL kernels.
#define EXP06_WEAK 0
#define EXP06_RELAXED 1
#define EXP06_ACQUIRE 2
#define EXP06_RELEASE 3
#define EXP06_ACQ_REL 4
#define EXP06_FENCE 5
#define EXP06_FENCE_ONE_WAY 6
#define EXP06_ACQUIRE_BARE 7
#define EXP06_RELEASE_BARE 8

#define EXP06_SUBGROUP 0
#define EXP06_WORKGROUP 1
#define EXP06_QUEUE_FAMILY 2
#define EXP06_DEVICE 3

#endif
