// b[i + offset] = a[i]: 4 bytes read a thread, coalesced; 4 written, contiguous but aligned only where 4 * offset is.
#include "params.h"

extern "C" __global__ void write_offset(const float* a, float* b, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint k = i + params.offset;
  if (k < params.count) b[k] = a[i];
}
