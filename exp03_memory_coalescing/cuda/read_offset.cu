// b[i] = a[i + offset]: 4 bytes read a thread, contiguous but aligned only where 4 * offset is; 4 written, coalesced.
#include "params.h"

extern "C" __global__ void read_offset(const float* a, float* b, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint k = i + params.offset;
  if (k < params.count) b[i] = a[k];
}
