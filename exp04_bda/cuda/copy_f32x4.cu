// b[i] = a[i]; four floats a thread: 16 bytes read, 16 written. What the type's alignment allows decides the width of an
// access.
#include "params.h"

#define COPY(name, type)                                                      \
  extern "C" __global__ void name(const type* a, type* b, BdaParams params) { \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;                     \
    if (i < params.count) b[i] = a[i];                                        \
  }

COPY(copy_f32x4, float4)
COPY(copy_f32x4_align4, Quad)
