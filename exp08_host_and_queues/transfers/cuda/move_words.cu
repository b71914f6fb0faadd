// to[i] = from[i], one of the two in the host's memory: 16 bytes read a thread, 16 written; the last thread's words one by one.
#include "params.h"

extern "C" __global__ void move_words(const uint* from, uint* to, MoveParams params) {
  const uint first = (blockIdx.x * blockDim.x + threadIdx.x) * EXP08_MOVE_WORDS;
  if (first + EXP08_MOVE_WORDS <= params.words) {
    *reinterpret_cast<uint4*>(to + first) = *reinterpret_cast<const uint4*>(from + first);
  } else {
#pragma unroll 1
    for (uint i = first; i < params.words; ++i) to[i] = from[i];
  }
}
