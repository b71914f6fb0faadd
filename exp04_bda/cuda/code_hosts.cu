// Room for Vulkan's machine code, which takes the place of these at run time, for kernels whose own file has none: the same
// parameters, and more instructions than it can need. What they compute is never run. No GLSL twin.
#include "params.h"

// 6 values that live at once: 9 to 16 registers, of which a thread then gets 16, as Vulkan's code does.
__device__ __forceinline__ uint filler(uint seed) {
  uint values[6];
#pragma unroll
  for (uint k = 0; k < 6; ++k) values[k] = seed + k;
#pragma unroll
  for (uint turn = 0; turn < 6; ++turn) {
#pragma unroll
    for (uint k = 0; k < 6; ++k) values[k] = EXP04_SPUN(values[k]) + values[(k + 1) % 6];
  }
  return values[0] ^ values[1] ^ values[2] ^ values[3] ^ values[4] ^ values[5];
}

#define ROOM(name, arguments, output)                                      \
  extern "C" __global__ void name##_code_host arguments {                  \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;                  \
    if (i < params.count) output[i] = filler(output[i] + params.in_bytes); \
  }

ROOM(add_f32x4, (const uint* a, const uint* b, uint* c, BdaParams params), c)
ROOM(load_f32, (const uint* a, uint* b, BdaParams params), b)
ROOM(store_u32, (uint * b, BdaParams params), b)
ROOM(loop_f32, (const uint* a, uint* b, BdaParams params), b)
