// b[i] = a[i]: 4 bytes read a thread, 4 written.
#include "params.h"

extern "C" __global__ void copy_words(const uint* a, uint* b, WordsParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = a[i];
}
