// Reads a[i] and stores 1 to b[i] only where it is the wanted word: one 4-byte load a thread, coalesced, and next to no store.
#include "params.h"

extern "C" __global__ void load_words(const uint* a, uint* b, WordsParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    const uint value = a[i];
    if (value == params.wanted) b[i] = 1;
  }
}
