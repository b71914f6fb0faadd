// out[i] = x[i]: 4 bytes read a thread, 4 written, both coalesced.
#include "params.h"

extern "C" __global__ void read_soa_x(const float* x, float* out, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) out[i] = x[i];
}
