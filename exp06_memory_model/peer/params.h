// Shared by main.cpp and cuda/.
#ifndef EXP06_PEER_PARAMS_H
#define EXP06_PEER_PARAMS_H

#include "../tiles.h"

// Word i of what the stores leave behind.
#define EXP06_STORED(i) ((i)*2654435761u)

// The matrix whose boxes tile_tma reads, changes and writes back, in words: those of one colour of a chess board.
#define EXP06_SIDE 1024u
#define EXP06_BOX 32u
#define EXP06_BOXES (EXP06_SIDE / EXP06_BOX)
#define EXP06_CHANGED(word, place) ((word)*3u + (place))

struct ChaseParams {
  uint mask;   // words of the table - 32: the first word of a line of 128 bytes
  uint steps;  // loads, each needing the one before
};
BENCH_ASSERT_SIZE(ChaseParams, 8);

// The index after one whose word was loaded: the step's number keeps the chain out of a cycle.
#define EXP06_NEXT(word, step, mask) (((word) ^ incompressible_word(step)) & (mask))

// Two threads, one on each GPU, send each other 1, 2, 3, ..., 2 * rounds.
struct FlagParams {
  uint rounds;
  uint untimed;   // rounds of them, at first: until both kernels run
  uint starts;    // this one sends the odd numbers, its partner the even ones
  uint bound_ns;  // for one wait
};
BENCH_ASSERT_SIZE(FlagParams, 16);
#define EXP06_FLAG_VALUE 0u  // the last number received
#define EXP06_FLAG_NS 1u     // the timed rounds, by the GPU's own clock
#define EXP06_FLAG_WORDS 2u

// One thread looks at a word that another GPU's kernel, or the host, changes from 0 to EXP06_NEWS some time after it is told
// to.
struct WatchParams {
  uint bound_ns;
  uint none;  // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(WatchParams, 8);
struct ChangeParams {
  uint delay_ns;  // between being told and the store
  uint bound_ns;  // for being told
};
BENCH_ASSERT_SIZE(ChangeParams, 8);
#define EXP06_NEWS 0x600df00du
#define EXP06_WATCH_SEEN 0u    // what the last look saw
#define EXP06_WATCH_POLLS 1u   // looks
#define EXP06_WATCH_NS 2u      // from the first look to the last
#define EXP06_WATCH_STRONG 3u  // what a strong load saw after that
#define EXP06_WATCH_WORDS 4u

// Looks between two at the clock.
#define EXP06_POLLS 64u

#endif
