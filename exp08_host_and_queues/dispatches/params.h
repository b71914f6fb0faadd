// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP08_DISPATCHES_PARAMS_H
#define EXP08_DISPATCHES_PARAMS_H

#include "core/base/shader_types.h"

// What one dispatch gets: whose words are its own, and how long each of its blocks works.
struct WorkParams {
  uint first;      // its first block's number among all dispatches' blocks
  uint ticks;      // of the GPU's clock that a block waits; 0: it only stores
  uint max_turns;  // the bound, should the clock stand still
};
BENCH_ASSERT_SIZE(WorkParams, 12);

// Word b of the first buffer, by block b: it ran, once and as itself.
#define EXP08_TAG(b) (((b)*2654435761u) ^ 0x9e3779b9u)
// Of block b in the second buffer: the clock's low word when it began and ended, and its SM.
#define EXP08_TRACE_WORDS 3u
#define EXP08_NO_SM 0xffffffffu

// arguments.comp: what an indirect dispatch reads, for each of `count` of them.
struct ArgumentParams {
  uint count;
  uint blocks;
};
BENCH_ASSERT_SIZE(ArgumentParams, 8);

// arguments_in_place.comp: the same, and where they lie.
struct InPlaceParams {
  uint count;
  uint blocks;
  uint low;  // of the device address
  uint high;
};
BENCH_ASSERT_SIZE(InPlaceParams, 16);

// What the device decides, for whom. CUDA: the handle of a graph's conditional node. Vulkan: the address of two indirect
// dispatches' arguments. 0: nobody asks.
struct Decision {
  uint target_low;
  uint target_high;
};
BENCH_ASSERT_SIZE(Decision, 8);

// decide: whether the work of `blocks` blocks that comes next is done. A word of a block that did not run is EXP08_NOT_RUN.
struct DecideParams {
  uint first;  // the work's first block's number among all blocks
  uint blocks;
  uint runs;  // 0: it is not done
  Decision decision;
};
BENCH_ASSERT_SIZE(DecideParams, 20);
#define EXP08_NOT_RUN 0u

// advance: whether a loop goes on. looped: its body, which is told by the state which step it is.
struct AdvanceParams {
  uint begins;  // 1: before the first step
  uint steps;   // after which the loop ends
  uint blocks;  // of a step
  Decision decision;
};
BENCH_ASSERT_SIZE(AdvanceParams, 20);
struct LoopedParams {
  uint blocks;
};
BENCH_ASSERT_SIZE(LoopedParams, 4);
// Words of the state: steps done, or graphs launched; and the last error of a launch from the device.
#define EXP08_STATE_DONE 0
#define EXP08_STATE_ERROR 1
#define EXP08_STATE_WORDS 2

// launch_graphs: so many, whose handles lie in the first buffer.
struct LaunchParams {
  uint count;
};
BENCH_ASSERT_SIZE(LaunchParams, 4);

#endif
