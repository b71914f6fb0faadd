// Shared by main.cpp, cuda/ and glsl/.

// What one turn of each timed loop does (scripts/benchlib/sass/same_work.py reads this):
// Per turn of read_4, structs_*_1: shared_load32 8
// Per turn of read_8: shared_load64 8
// Per turn of read_16: shared_load128 8
// Per turn of write_4: shared_store32 8
// Per turn of write_8: shared_store64 8
// Per turn of write_16: shared_store128 8
// Per turn of structs_*_4: shared_load32 32
#ifndef EXP09_SHARED_MEMORY_PARAMS_H
#define EXP09_SHARED_MEMORY_PARAMS_H

#include "core/base/shader_types.h"

// read, write, structs
struct StrideParams {
  uint accesses;  // of a thread, a multiple of EXP09_SHIFTS
  uint stride;    // elements from one lane to the next
  uint pad;       // elements that follow every 32 elements of the table
  uint advance;   // EXP09_UNROLL, accesses of a turn. A compiler that does not know it neither unrolls the loop nor tells one
                  // turn's elements from another's
};
BENCH_ASSERT_SIZE(StrideParams, 16);

#define EXP09_UNROLL 8u
// Each thread visits so many neighbours of its element, in turn: a shift of all lanes changes no conflict.
#define EXP09_SHIFTS 32u
// The last lane's last element: 31 * 33 + 31 (pad) + 31 = 1085. In elements of 16 bytes these are 17 KiB.
#define EXP09_TABLE 1088u
// A structure of 5 words, each 64 times.
#define EXP09_STRUCTS 64u

// Thread `lane`'s first element.
BENCH_FUNCTION uint first_element(uint lane, uint stride, uint pad) { return lane * stride + (lane * stride / 32u) * pad; }
// Word c of element e, before anything is stored.
BENCH_FUNCTION uint table_word(uint e, uint c) { return incompressible_word(e * 4u + c); }

// structs: how four words lie
#define EXP09_SOA 0
#define EXP09_AOS 1
#define EXP09_VEC4 2
#define EXP09_PADDED 3

// channels
struct ChannelParams {
  uint slice;  // pixels of one channel
  uint width;  // pixels of a row
};
BENCH_ASSERT_SIZE(ChannelParams, 8);
#define EXP09_CHANNELS 128u
#define EXP09_HALF 64u
#define EXP09_ROWS 0
#define EXP09_COLUMNS 1
#define EXP09_SHARED 2

// capacity
struct CapacityParams {
  uint ns;       // that a block waits
  uint words;    // of shared memory that it holds
  uint advance;  // its threads, by which the loops count. No compiler unrolls a loop whose step it does not know
};
BENCH_ASSERT_SIZE(CapacityParams, 12);
#define EXP09_LIVE 0
#define EXP09_MOST 1
#define EXP09_COUNTS 2

#endif
