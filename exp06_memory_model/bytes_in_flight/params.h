// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of read_plain_4_1: load32 1
// Per turn of copy_plain_4_1: load32 1, store32 1
// Per turn of read_plain_4_2: load32 2
// Per turn of copy_plain_4_2: load32 2, store32 2
// Per turn of read_plain_4_4: load32 4
// Per turn of copy_plain_4_4: load32 4, store32 4
// Per turn of read_plain_4_8: load32 8
// Per turn of add_plain_4_*: load32 2, store32 1
// Per turn of write_plain_4_*: store32 1
// Per turn of read_plain_8_1: load64 1
// Per turn of copy_plain_8_1: load64 1, store64 1
// Per turn of read_plain_8_2: load64 2
// Per turn of read_plain_8_4: load64 4
// Per turn of read_plain_8_8: load64 8
// Per turn of add_plain_8_*: load64 2, store64 1
// Per turn of write_plain_8_*: store64 1
// Per turn of read_plain_16_1: load128 1
// Per turn of copy_plain_16_1: load128 1, store128 1
// Per turn of read_plain_16_2: load128 2
// Per turn of copy_plain_16_2: load128 2, store128 2
// Per turn of read_plain_16_4: load128 4
// Per turn of copy_plain_16_4: load128 4, store128 4
// Per turn of read_plain_16_8: load128 8
// Per turn of copy_plain_16_8: load128 8, store128 8
// Per turn of write_plain_16_*: store128 1
// Per turn of read_staged_1: load128 1
// Per turn of read_staged_2: load128 2
// Per turn of read_staged_4: load128 4
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
