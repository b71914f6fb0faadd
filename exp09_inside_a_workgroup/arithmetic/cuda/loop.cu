// LOOP(name, BOUND, HINT, guarded): a full GPU: loops of BOUND turns, with HINT, and guarded by a counter of turns beside the
// condition. Nothing read; 4 bytes written a thread.
#include "params.h"

#define LOOP(name, BOUND, HINT, guarded)                                    \
  extern "C" __global__ void loop_##name(uint* result, LoopParams params) { \
    uint value = threadIdx.x;                                               \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) {  \
      uint2 left = {0xffffffffu, 0xffffffffu};                              \
      HINT for (uint i = 0; i < BOUND; ++i) {                               \
        if (guarded) {                                                      \
          if (left.x == 0 && left.y == 0) break;                            \
          left = make_uint2(left.x - (left.y == 0 ? 1 : 0), left.y - 1);    \
        }                                                                   \
        value = next_of_loop(value, i);                                     \
      }                                                                     \
    }                                                                       \
    result[blockIdx.x * blockDim.x + threadIdx.x] = value;                  \
  }

#define NO_HINT
#define UNROLL _Pragma("unroll")
#define DONT_UNROLL _Pragma("unroll 1")

LOOP(literal, EXP09_BOUND, NO_HINT, false)
LOOP(literal_unroll, EXP09_BOUND, UNROLL, false)
LOOP(literal_dont_unroll, EXP09_BOUND, DONT_UNROLL, false)
LOOP(literal_guarded, EXP09_BOUND, NO_HINT, true)
LOOP(uniform, params.bound, NO_HINT, false)
LOOP(uniform_dont_unroll, params.bound, DONT_UNROLL, false)
LOOP(uniform_guarded, params.bound, NO_HINT, true)
