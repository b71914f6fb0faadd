// Turns the pairs of queries and keys by the position's angles, and puts key and value at the cache's end. A thread per pair.
#include <cuda_fp16.h>

#include "decode.h"

#define PAIRS (HEAD_DIM / 2)

extern "C" __global__ void __launch_bounds__(256) rotary(const float2* __restrict__ turns, float2* __restrict__ qkv,
                                                         __half2* __restrict__ keys, __half2* __restrict__ values) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned head = i / PAIRS;
  const unsigned pair = i % PAIRS;
  const float2 x = qkv[i];
  const float2 turn = turns[pair];  // cosine and sine
  const float2 turned = make_float2(x.x * turn.x - x.y * turn.y, x.x * turn.y + x.y * turn.x);
  if (head < HEADS) {
    qkv[i] = turned;
  } else if (head < HEADS + KV_HEADS) {
    keys[((head - HEADS) * CONTEXT + CONTEXT - 1) * PAIRS + pair] = __floats2half2_rn(turned.x, turned.y);
  } else {
    values[((head - HEADS - KV_HEADS) * CONTEXT + CONTEXT - 1) * PAIRS + pair] = __floats2half2_rn(x.x, x.y);
  }
}
