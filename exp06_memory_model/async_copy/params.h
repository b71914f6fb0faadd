// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of overlap_*: imul 96
#ifndef EXP06_ASYNC_COPY_PARAMS_H
#define EXP06_ASYNC_COPY_PARAMS_H

#include "core/base/shader_types.h"

// ---- Copying beside computing
// A block of this many threads takes a tile of four 16-byte vectors a thread, 256 * 4 * 16 B = 16 KiB.
#define EXP06_BLOCK 256u
#define EXP06_VECTORS 4u
#define EXP06_TILE_BYTES 16384u

// A row of the tensor that overlap_tma and copy_tma see, in words: the widest box.
#define EXP06_ROW_WORDS 256u

// What is computed on a word: `turns` times so many of these steps, each needing the one before, of which no compiler can make
// one of two (see exp04's spin).
#define EXP06_STEPS_A_TURN 8u
#define EXP06_CHAINED(value) (((value) ^ 0x9e3779b9u) * 1664525u)

// A block takes tile b of every `grid` tiles, b being its number.
struct OverlapParams {
  uint tiles;
  uint turns;
  uint stages;  // tiles of a ring in shared memory
  uint none;    // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(OverlapParams, 16);

// ---- Copying alone
struct CopyParams {
  uint chunks;
  uint chunk_bytes;
};
BENCH_ASSERT_SIZE(CopyParams, 8);

// Words of the state of blocks that take their chunks from a counter, all 0 between launches: chunks taken, blocks that have
// ended.
#define EXP06_STATE_WORDS 2u

// ---- A tile out of a tensor and back
// The post's: 64 rows of 32 words, a tile of 16 rows of 8 words at row 16, word 16, a thread a word. Instance i is the tensor
// that begins 64 * i rows further on.
#define EXP06_TENSOR_ROWS 64u
#define EXP06_TENSOR_WORDS 32u
#define EXP06_TILE_ROWS 16u
#define EXP06_TILE_WORDS 8u
#define EXP06_TILE_AT 16u
#define EXP06_TILE_THREADS 128u

// What every word of the tensors is at first, and what is added to word `thread` of an instance's tile.
#define EXP06_TILE_BEGIN 1u
#define EXP06_TILE_ADDED(thread, instance) ((thread)*101u + (instance)*65537u)

// What the tile's place in shared memory holds before and after: no word of any tensor is meant to be that.
#define EXP06_TILE_NOTHING 0xdeadbeefu

struct TilePlace {
  uint pressure;  // stores to one bank of shared memory, a thread, before each of the tile's own
  uint limit_ns;  // how long to wait for the tile
};
BENCH_ASSERT_SIZE(TilePlace, 8);

#endif
