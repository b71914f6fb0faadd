// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP06_BYTES_IN_FLIGHT_PARAMS_H
#define EXP06_BYTES_IN_FLIGHT_PARAMS_H

#include "../tiles.h"

// resident
struct ResidentParams {
  uint ns;    // that a block waits by the GPU's clock. Vulkan's has no unit; on NVIDIA's GPUs and Mesa's CPU devices it is ns
  uint none;  // 0, which no compiler knows
};
BENCH_ASSERT_SIZE(ResidentParams, 8);

// Words of its output: the blocks that have begun and not ended, and their largest number so far.
#define EXP06_LIVE 0u
#define EXP06_MOST 1u

#endif
