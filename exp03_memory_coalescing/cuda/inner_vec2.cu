// inner_struct's work on a struct that is aligned to its 8 bytes, as float2 is: 8 bytes read and 8 written a thread, in one
// access each.
#include "params.h"

extern "C" __global__ void inner_vec2(const float2* data, float2* result, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    float2 tmp = data[i];
    tmp.x += 10.0f;
    tmp.y += 20.0f;
    result[i] = tmp;
  }
}
