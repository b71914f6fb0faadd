// Word i of the output becomes incompressible_word(i), in tiles of blockDim elements: nothing read, one store a thread and
// tile.
#pragma once

#include "core/base/words.cuh"
#include "params.h"

#define WRITE_PLAIN(bytes, TYPE)                                                               \
  extern "C" __global__ void write_plain_##bytes##_1(TYPE* out, TileParams params) {           \
    _Pragma("unroll 1") for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) { \
      const uint index = tile * blockDim.x + threadIdx.x;                                      \
      words_of(index, out[index]);                                                             \
    }                                                                                          \
  }
