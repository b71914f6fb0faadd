// fill_*: every thread stores to `stream_words` words, a grid's width apart: 4 bytes a store.
// Only `plain` and `volatile` have GLSL twins: GLSL's other qualifiers say something else than PTX's operators.
#include "operators.cuh"

#define FILL(name)                                                                                                   \
  extern "C" __global__ void fill_##name(uint* words, CacheParams params) {                                          \
    uint i = blockIdx.x * blockDim.x + threadIdx.x;                                                                  \
    _Pragma("unroll 1") for (uint n = 0; n < params.stream_words; n += params.advance) {                             \
      for (uint u = 0; u < EXP06_UNROLL; ++u, i += gridDim.x * blockDim.x) store_##name(words + i, EXP06_FILLED(i)); \
    }                                                                                                                \
  }

EACH_STORE(FILL)
