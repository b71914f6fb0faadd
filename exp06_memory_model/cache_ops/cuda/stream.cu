// stream_*: every thread sums `stream_words` words, a grid's width apart: 4 bytes a load, four loads under way.
// Only `plain` and `volatile` have GLSL twins: GLSL's other qualifiers say something else than PTX's operators.
#include "operators.cuh"

#define STREAM(name)                                                                                        \
  extern "C" __global__ void stream_##name(const uint* words, const uint*, uint* out, CacheParams params) { \
    const uint thread = blockIdx.x * blockDim.x + threadIdx.x;                                              \
    const uint threads = gridDim.x * blockDim.x;                                                            \
    uint sum = 0;                                                                                           \
    uint i = thread;                                                                                        \
    _Pragma("unroll 1") for (uint n = 0; n < params.stream_words; n += params.advance) {                    \
      uint value[EXP06_UNROLL];                                                                             \
      for (uint u = 0; u < EXP06_UNROLL; ++u, i += threads) value[u] = load_##name(words + i);              \
      for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];                                              \
    }                                                                                                       \
    out[thread] = sum;                                                                                      \
  }

EACH_LOAD(STREAM)
