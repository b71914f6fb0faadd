// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of find_homes: atomic 96
// Per turn of home_load: load128 4
// Per turn of home_store: store128 4
#ifndef EXP10_PARAMS_H
#define EXP10_PARAMS_H

#include "core/base/shader_types.h"

struct GpcParams {
  uint count;      // blocks
  uint unused[2];  // `steps` lies where it did when the committed results were measured
  uint steps;      // that a block waits
};
BENCH_ASSERT_SIZE(GpcParams, 16);

struct ShareParams {
  uint count;   // vectors that write_share stores
  uint last;    // of the window's vectors, a power of two, all of which it stores to before it begins anew
  uint spread;  // log2 of the granules of the buffer for each that the window has: 0 stores to all of it
};
BENCH_ASSERT_SIZE(ShareParams, 12);
// Where a vector of the window lies in the buffer.
#define EXP10_SPREAD(vector, spread) \
  (((vector) & (EXP10_GRANULE_VECTORS - 1u)) + (((vector) / EXP10_GRANULE_VECTORS) << (spread)) * EXP10_GRANULE_VECTORS)

// A step of gpc_members' wait: no compiler can make one of two (a linear generator's steps merge).
#define EXP10_SPUN(value) (((value) ^ 0x9e3779b9u) * 1664525u)
// What an output holds before a kernel runs.
#define EXP10_POISON 0xffffffffu

// A granule of 4 KiB: all of it has one home.
#define EXP10_GRANULE_WORDS 1024u
#define EXP10_GRANULE_VECTORS 256u
#define EXP10_LINES 32u
#define EXP10_LINE_WORDS 32u
// Granules that a block takes at a time, one 16-byte vector of the list: 16 KiB.
#define EXP10_TICKET 4u

struct HomesParams {
  uint count;     // find_homes: granules to measure; home_*: granules of the list, a multiple of EXP10_TICKET
  uint granules;  // of the buffer, a power of two
  uint stride;  // between the granules to measure, odd: with a power of two, a hash of addresses would see too few bits change
  uint sms;
  uint none;  // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(HomesParams, 20);

// Which one of those to measure a ticket is for: no two rows' at the same time.
#define EXP10_MEASURED(ticket, row, params) (((ticket) + (row)*97u) % (params).count)
#define EXP10_GRANULE(index, params) (((index) * (params).stride) & ((params).granules - 1u))
// The first word of the line after the one at word `at`; `none` makes the next access wait for the last.
#define EXP10_NEXT_LINE(at, none) ((((at) + EXP10_LINE_WORDS) & (EXP10_GRANULE_WORDS - 1u)) + (none))

#endif
