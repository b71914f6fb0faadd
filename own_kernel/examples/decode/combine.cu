// Attention's parts as one: the splits' sums, weighted by exp(their largest score - the largest of all), over the sum of
// weights. A thread per pair of values.
#include <cuda_fp16.h>

#include "decode.h"

#define PAIRS (HEAD_DIM / 2)

extern "C" __global__ void __launch_bounds__(128)
    combine(const float2* __restrict__ sums, const float2* __restrict__ weights, __half2* __restrict__ out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const unsigned first = i / PAIRS * SPLITS;
  const unsigned pair = i % PAIRS;
  float largest = weights[first].x;
#pragma unroll
  for (unsigned split = 1; split < SPLITS; ++split) largest = fmaxf(largest, weights[first + split].x);
  float2 sum = make_float2(0, 0);
  float weight = 0;
#pragma unroll
  for (unsigned split = 0; split < SPLITS; ++split) {
    const float2 one = weights[first + split];
    const float scale = __expf(one.x - largest);
    const float2 part = sums[(first + split) * PAIRS + pair];
    sum.x += scale * part.x;
    sum.y += scale * part.y;
    weight += scale * one.y;
  }
  out[i] = __floats2half2_rn(__fdividef(sum.x, weight), __fdividef(sum.y, weight));
}
