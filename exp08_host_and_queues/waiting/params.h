// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP08_WAITING_PARAMS_H
#define EXP08_WAITING_PARAMS_H

#include "core/base/shader_types.h"

struct TaskParams {
  uint ticks;      // of the GPU's clock to work for
  uint max_turns;  // the bound, should the clock stand still
  uint value;      // task_tells: for the host's flag, the last thing that is written
  uint spare;
  uint flag_low;  // the flag's device address
  uint flag_high;
};
BENCH_ASSERT_SIZE(TaskParams, 24);

#define EXP08_DONE 0x600dda7au
// The trace: the clock's low word when the kernel began and ended.
#define EXP08_TRACE_WORDS 2u

#endif
