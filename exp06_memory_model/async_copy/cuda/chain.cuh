// What every overlap_ kernel computes: a chain on each of a thread's 16 words, side by side, then their sum.
// The twins' pointers are __restrict__: GLSL's readonly promises its compiler as much, that nobody writes what they read. Those
// of the twins called _writable are not, and their GLSL has no readonly: a load may then not move across a barrier.
#pragma once

#include "exp06_memory_model/cuda/sums.cuh"
#include "params.h"

__device__ __forceinline__ uint4 chained(uint4 value) {
  return make_uint4(EXP06_CHAINED(value.x), EXP06_CHAINED(value.y), EXP06_CHAINED(value.z), EXP06_CHAINED(value.w));
}

__device__ __forceinline__ uint sum_of_chains(uint4 (&value)[EXP06_VECTORS], uint turns) {
#pragma unroll 1
  for (uint turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (uint step = 0; step < EXP06_STEPS_A_TURN; ++step) {
#pragma unroll
      for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = chained(value[v]);
    }
  }
  uint sum = 0;
#pragma unroll
  for (uint v = 0; v < EXP06_VECTORS; ++v) sum += sum_of(value[v]);
  return sum;
}

// The part of a tile that the thread computes on: in shared memory, what its neighbour brought.
__device__ __forceinline__ void take_part(uint4 (&value)[EXP06_VECTORS], const uint4* tile, uint first) {
#pragma unroll
  for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = tile[first + v * EXP06_BLOCK];
}
