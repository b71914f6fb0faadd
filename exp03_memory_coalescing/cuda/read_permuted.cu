// b[i] = a[i] with the lanes permuted within each 128-byte line: 4 bytes read a thread, every line whole; 4 written,
// coalesced.
#include "params.h"

extern "C" __global__ void read_permuted(const float* a, float* b, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = a[(i & ~31u) | EXP03_PERMUTED(i)];
}
