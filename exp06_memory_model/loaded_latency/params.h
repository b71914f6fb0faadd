// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of loaded_chase_2: load128 2
// Per turn of loaded_chase_4: load128 4
// Per turn of loaded_chase_8: load128 8
// Per turn of pointer_chase: load64 1
#ifndef EXP06_LOADED_LATENCY_PARAMS_H
#define EXP06_LOADED_LATENCY_PARAMS_H

#include "core/base/shader_types.h"

struct LoadedParams {
  uint lines;  // of the chase's table, a power of two
  uint steps;  // loads of the chase, each of the address of the next
  uint tiles;  // that the other blocks load, a power of two
  uint wait;   // slices of dependent arithmetic between a warp's batches of loads, EXP06_SPUN each
  uint turns;  // batches at most: the load ends even if the chase never does
  uint poll;   // looks at the flag: after so many batches, or cuts of their waits
  uint none;   // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(LoadedParams, 28);

// A line of the chase's table holds the address of the next.
#define EXP06_LINE_BYTES 128u
struct PointerParams {
  uint lines;  // of the table, a power of two
  uint steps;
};
BENCH_ASSERT_SIZE(PointerParams, 8);

// The line that comes t-th in the chase, which goes round through all of them: a bijection of the lines, in no order that
// anybody could guess.
BENCH_FUNCTION uint pointer_line(uint t, uint lines) {
  const uint mask = lines - 1u;
  uint line = (t & mask) * 0x9e3779b1u & mask;
  line ^= line >> 7;
  line = line * 0x85ebca6bu & mask;
  line ^= line >> 11;
  return line * 0xc2b2ae35u & mask;
}

// Which tile streamer s of n loads in a turn: an odd distance, so that it comes back to a tile only after all others.
#define EXP06_TILE(s, n, turn, params) (((s) + (turn) * ((n) | 1u)) & ((params).tiles - 1u))

// A slice of the wait, eight steps: no compiler can make one of two (see exp04's spin), and the loop around them, which not all
// compilers unroll alike, counts for little.
#define EXP06_STEP(value) (((value) ^ 0x9e3779b9u) * 1664525u)
#define EXP06_STEPS2(value) EXP06_STEP(EXP06_STEP(value))
#define EXP06_SPUN(value) EXP06_STEPS2(EXP06_STEPS2(EXP06_STEPS2(EXP06_STEPS2(value))))

// A longer wait is cut, with a look at the flag after so many slices.
#define EXP06_CUT 128u

// How long warp w waits before its first batch, at most `wait` steps: else all SMs would ask at once, and then all be silent.
#define EXP06_PHASE(w, params) (incompressible_word(w) % ((params).wait + 1u))

// Words of the result: where the chase ended, how long it took by the GPU's own clock (ns; CUDA alone, else 0), and two unused;
// then each streaming thread's turns and the sum of what it loaded.
#define EXP06_RESULT_HEAD 4u

// Words of the state, all 0 between launches: the chase is done; blocks that have ended.
#define EXP06_STATE_WORDS 2u

#endif
