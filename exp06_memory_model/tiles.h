// How a grid shares out what it reads: for C++, CUDA and GLSL.
#ifndef EXP06_TILES_H
#define EXP06_TILES_H

#include "core/base/shader_types.h"

// A block takes tile b of every `grid` tiles, b being its number.
struct TileParams {
  uint tiles;  // of the block's threads times what each has in flight
  uint none;   // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(TileParams, 8);

// A warp takes chunk w of every `warps of the grid` chunks, through a ring of its own.
struct RingParams {
  uint chunks;
  uint chunk_bytes;  // a multiple of 512: 16 bytes a lane
  uint stages;       // chunks in flight a warp
  uint none;         // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(RingParams, 16);

// A row of the tensor that read_tma sees, in words: the widest box.
#define EXP06_ROW_WORDS 256u

#endif
