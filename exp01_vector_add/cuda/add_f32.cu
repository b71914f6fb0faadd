// c[i] = a[i] + b[i]; one float a thread, coalesced: 8 bytes read, 4 written.
#include "params.h"

extern "C" __global__ void add_f32(const float* a, const float* b, float* c, CountParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) c[i] = a[i] + b[i];
}
