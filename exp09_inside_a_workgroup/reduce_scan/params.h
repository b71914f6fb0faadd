// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP09_REDUCE_SCAN_PARAMS_H
#define EXP09_REDUCE_SCAN_PARAMS_H

#include "core/base/shader_types.h"

struct ScanParams {
  uint vectors;     // 16-byte vectors of the input
  uint tiles;       // of the whole input; a power of two
  uint log2_tiles;  // its logarithm
  uint spins;       // a look-back polls so often before it gives up
};
BENCH_ASSERT_SIZE(ScanParams, 16);

// A block of 256 threads handles a tile: 4 vectors of 4 words a thread. 256 * 4 * 4 words * 4 B = 16 KiB.
#define EXP09_BLOCK 256u
#define EXP09_ROWS 4u
#define EXP09_TILE_VECTORS (EXP09_BLOCK * EXP09_ROWS)
#define EXP09_TILE_WORDS (EXP09_TILE_VECTORS * 4u)

// Words of the state, which goes on from launch to launch. Tickets count the blocks of all launches: a tile's number is a
// ticket modulo the tiles, and its launch's the quotient, so that nothing has to be set back.
#define EXP09_TICKET 0u
#define EXP09_FAILED 1u  // look-backs that gave up
#define EXP09_FIRST 32u  // of what each tile publishes; the tickets have a 128-byte line of their own

// What a tile has published: the launch's number * 4 + one of these.
#define EXP09_AGGREGATE 1u  // the sum of its words
#define EXP09_PREFIX 2u     // the sum of all words up to its last
#define EXP09_FLAG(ticket, log2_tiles) ((((ticket) >> (log2_tiles)) + 1u) << 2)

#endif
