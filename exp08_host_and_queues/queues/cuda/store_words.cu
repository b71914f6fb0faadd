// b[i] = a word computed from i: one 4-byte store a thread, coalesced.
#include "params.h"

extern "C" __global__ void store_words(uint* b, WordsParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = incompressible_word(i);
}
