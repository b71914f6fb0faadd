// b[i] = a[i]; one float a thread, coalesced: 4 bytes read, 4 written.
#include "params.h"

extern "C" __global__ void copy_f32(const float* a, float* b, CountParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = a[i];
}
