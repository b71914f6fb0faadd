// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of fill_*: store32 1
// Per turn of reuse_ro_*: load32 1
// Per turn of stream_*: load32 1
#ifndef EXP06_CACHE_OPS_PARAMS_H
#define EXP06_CACHE_OPS_PARAMS_H

#include "core/base/shader_types.h"

// All sizes are in 4-byte words, of whole turns of a block: a multiple of its threads * EXP06_UNROLL.
struct CacheParams {
  uint stream_words;  // stream, fill: a thread's; reuse: a block's, each round
  uint stream_mask;   // words of the stream's buffer less 1; their number is a power of two
  uint reuse_words;   // a block's part of the reuse set
  uint rounds;        // reuse: how often a block reads its stream's next piece, then a part of the reuse set
  uint shift;         // reuse: by how many parts a block moves on each round; 0: it keeps its own
  uint advance;       // by which the loops count: EXP06_UNROLL, reuse: times the threads of a block. No compiler unrolls a loop
                      // whose step it does not know
};
BENCH_ASSERT_SIZE(CacheParams, 24);

// Loads that a thread has under way before it uses the first.
#define EXP06_UNROLL 4

// The first word of the stream that block b of `blocks` reads in a round.
#define EXP06_STREAM_AT(b, blocks, round, params) (((round) * (blocks) + (b)) * (params).stream_words)
// The part of the reuse set that it reads then.
#define EXP06_PART(b, blocks, round, params) (((b) + (round) * (params).shift) % (blocks))
// What fill stores in word i.
#define EXP06_FILLED(i) ((i)*2654435761u)

#endif
