// Shared by main.cpp and cuda/. No GLSL: Vulkan has no clusters.
#ifndef EXP06_CLUSTER_PARAMS_H
#define EXP06_CLUSTER_PARAMS_H

#include "core/base/shader_types.h"

struct ClusterParams {
  uint steps;     // rounds, loads, barriers, turns, or pieces of 4 KiB to be read
  uint distance;  // the peer of the block of rank r has rank r ^ distance
  uint work;      // dependent steps of arithmetic beside each barrier, or in a block
  uint chunks;    // multicast: 4 KiB pieces of the data, a power of two
  uint none;      // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(ClusterParams, 20);

// What every block writes in the end: four words of result, the cycles of its SM for the loop, the GPU's time (ns, low word)
// before its first thread came to the last barrier and after its last thread left it, and its SM.
#define EXP06_RECORD_WORDS 8u
#define EXP06_CYCLES 4u
#define EXP06_TIME_IN 5u
#define EXP06_TIME_OUT 6u
#define EXP06_SM 7u

// In place of the result: a wait came to its end in vain.
#define EXP06_TIMED_OUT 0xbad0c10cu

// A step of a chain by value, or of arithmetic: no compiler can make one of two (see exp04's spin).
#define EXP06_CHAIN(value) (((value) ^ 0x9e3779b9u) * 1664525u)

// Polls of shared and of global memory until a wait ends: about a third of a second.
#define EXP06_SHARED_POLLS (1u << 23)
#define EXP06_GLOBAL_POLLS (1u << 20)

// A block's two mailboxes in global memory, a 128-byte line each; words of 64 bits.
#define EXP06_MAIL_WORDS 32u

// The table of a chase: a block's in shared memory, or one in global memory that the L2 holds. Word i has the byte offset of
// the word after it: i -> i * 1597 + 821 mod words goes through all of a power of two (Hull and Dobell, 1962).
#define EXP06_TABLE_WORDS 2048u
#define EXP06_L2_TABLE_WORDS (1u << 20)
#define EXP06_NEXT_WORD(i, words) (((i)*1597u + 821u) & ((words)-1u))
// Loads of one pair's chase in pair_map.
#define EXP06_PAIR_STEPS 128u

// Each block's part in an exchange: slots of 32 KiB, and one more that bulk copies come from. Word i of what `block` sends in
// a turn.
#define EXP06_SLOTS 4u
#define EXP06_SLOT_BYTES 32768u
#define EXP06_SLOT_WORDS (EXP06_SLOT_BYTES / 4u)
#define EXP06_SENT(block, i, turn) (((block)*EXP06_SLOT_WORDS + (i)) * 0x9e3779b9u + (turn))
#define EXP06_SOURCE_TURN 1000003u
#define EXP06_WEIGHT(i) (2u * (i) + 1u)  // of word i in a sum that shows misplaced words

// A multicast's rings: of eight warps, four chunks of 4 KiB each; or one of four chunks of 32 KiB, of which each warp reads a
// piece of 4 KiB.
#define EXP06_CHUNK_BYTES 4096u
#define EXP06_STAGES 4u
#define EXP06_RING_WARPS 8u

// How late the first thread comes to the last barrier, ns.
#define EXP06_LATE_NS 4000u

// The source's example of a multicast: 512 words, of which the 16 from word 48 on go to the ranks in the mask.
#define EXP06_EXAMPLE_WORDS 512u
#define EXP06_EXAMPLE_TILE 16u
#define EXP06_EXAMPLE_FIRST 48u
#define EXP06_EXAMPLE_MASK 0xbbu  // 0b10111011: all but 2 and 6

#endif
