// b[i] = the first float of i's 128-byte line: all lanes of a warp read the same 4 bytes; 4 written, coalesced.
#include "params.h"

extern "C" __global__ void read_same(const float* a, float* b, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = a[i & ~31u];
}
