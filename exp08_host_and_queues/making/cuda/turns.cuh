// b[i] = a[i] after so many steps, each needing the one before: 4 bytes read a thread, 4 written.
#pragma once

#include "params.h"

#define TURNS(name, turns)                                                      \
  extern "C" __global__ void name(const uint* a, uint* b, TurnsParams params) { \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;                       \
    if (i >= params.count) return;                                              \
    uint x = a[i];                                                              \
    for (uint k = 0; k < (turns); ++k) x = made_step(x, k);                     \
    b[i] = x;                                                                   \
  }

// The same by a template, whose instance the kernel is.
template <uint kTurns>
__device__ __forceinline__ uint turned(uint x) {
  for (uint k = 0; k < kTurns; ++k) x = made_step(x, k);
  return x;
}
#define TURNS_TEMPLATE(name, turns)                                             \
  extern "C" __global__ void name(const uint* a, uint* b, TurnsParams params) { \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;                       \
    if (i >= params.count) return;                                              \
    b[i] = turned<turns>(a[i]);                                                 \
  }
