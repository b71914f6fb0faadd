// Eight columns of f16 weights times as many inputs, and a warp's sum.
#pragma once
#include <cuda_fp16.h>

__device__ float2 halves(unsigned bits) { return __half22float2(*reinterpret_cast<const __half2*>(&bits)); }

__device__ float dot2(unsigned weights, unsigned in, float sum) {
  const float2 w = halves(weights);
  const float2 x = halves(in);
  return sum + w.x * x.x + w.y * x.y;
}

__device__ float dot8(uint4 weights, uint4 in, float sum) {
  sum = dot2(weights.x, in.x, sum);
  sum = dot2(weights.y, in.y, sum);
  sum = dot2(weights.z, in.z, sum);
  return dot2(weights.w, in.w, sum);
}

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffU, value, distance);
  return value;
}
