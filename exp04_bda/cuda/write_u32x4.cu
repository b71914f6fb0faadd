// Word i of the output becomes i * EXP04_WRITE_MULTIPLIER: nothing read, 16 bytes written a thread in one access, coalesced.
// Plain, and with features of Vulkan's machine code forced.
#include "force.cuh"
#include "params.h"

#define WRITE(name, features, block)                                                                          \
  extern "C" __global__ void write_u32x4##name(uint4* b, BdaParams params) {                                  \
    const uint i = thread_index<block>();                                                                     \
    const uint word = i * 4;                                                                                  \
    const uint4 value = make_uint4(word * EXP04_WRITE_MULTIPLIER, (word + 1) * EXP04_WRITE_MULTIPLIER,        \
                                   (word + 2) * EXP04_WRITE_MULTIPLIER, (word + 3) * EXP04_WRITE_MULTIPLIER); \
    if (i < params.count) store<(features)>(b, i, params.out_bytes, value);                                   \
  }

WRITE(, 0, 0)
WRITE(_strong_store, kStrongStore, 0)
WRITE(_bounds, kBounds, 0)
WRITE(_all_256, kStrongStore | kBounds | kOffset32, 256)
