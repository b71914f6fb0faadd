// No GLSL twin: Vulkan's other GPU is behind a device group (see Device::peer).
// One thread follows a chain through a table, 4 bytes of a 128-byte line a step: by loads that the L1 may answer, or past it.
#include "params.h"

#define CHASE(name, LOAD)                                                                     \
  extern "C" __global__ void chase_##name(const uint* table, uint* end, ChaseParams params) { \
    uint index = 0;                                                                           \
    _Pragma("unroll 1") for (uint step = 0; step < params.steps; ++step) {                    \
      uint word;                                                                              \
      asm volatile(LOAD " %0, [%1];" : "=r"(word) : "l"(table + index) : "memory");           \
      index = EXP06_NEXT(word, step, params.mask);                                            \
    }                                                                                         \
    *end = index;                                                                             \
  }
CHASE(weak, "ld.global.u32")
CHASE(relaxed, "ld.relaxed.sys.global.u32")
