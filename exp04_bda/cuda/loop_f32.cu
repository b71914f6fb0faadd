// b[i] = a[i] in a grid-stride loop, one float a turn: 4 bytes read, 4 written, by a grid small enough that hardly a block
// starts or ends.
#include "params.h"

extern "C" __global__ void loop_f32(const float* a, float* b, BdaParams params) {
  const uint stride = gridDim.x * blockDim.x;
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < params.count; i += stride) b[i] = a[i];
}
