// Attention of one token over a part of the cache. A block has the four queries that share a key and value head, a warp each;
// it takes CONTEXT / SPLITS tokens. Eight lanes read a token's 64 values, 16 bytes each. For combine: the sum of values
// weighted by exp(score - largest), and the largest score and the sum of weights.
#include "decode.h"
#include "dot8.cuh"

#define TOKENS (CONTEXT / SPLITS)
#define PARTS (HEAD_DIM / 8)  // lanes per token
#define AHEAD 8               // loads in flight

__device__ void load8(const float4* from, float* to) {
  const float4 a = from[0];
  const float4 b = from[1];
  to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
  to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}

__device__ void unpack8(uint4 from, float* to) {
  const float2 a = halves(from.x), b = halves(from.y), c = halves(from.z), d = halves(from.w);
  to[0] = a.x, to[1] = a.y, to[2] = b.x, to[3] = b.y;
  to[4] = c.x, to[5] = c.y, to[6] = d.x, to[7] = d.y;
}

extern "C" __global__ void __launch_bounds__(ROWS * 32)
    attention(const float4* __restrict__ qkv, const uint4* __restrict__ keys, const uint4* __restrict__ values,
              float4* __restrict__ sums, float2* __restrict__ weights) {
  __shared__ float scores[ROWS][TOKENS];
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned part = lane % PARTS;
  const unsigned head = blockIdx.y * ROWS + warp;
  const unsigned first = (blockIdx.y * CONTEXT + blockIdx.x * TOKENS) * PARTS + part;
  float q[8];
  load8(qkv + (head * PARTS + part) * 2, q);
  for (unsigned begin = lane / PARTS; begin < TOKENS; begin += AHEAD * (32 / PARTS)) {
#pragma unroll
    for (unsigned j = 0; j < AHEAD; ++j) {
      const unsigned token = begin + j * (32 / PARTS);
      float k[8];
      unpack8(keys[first + token * PARTS], k);
      float score = 0;
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) score += q[i] * k[i];
      for (int distance = PARTS / 2; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffffU, score, distance);
      if (part == 0) scores[warp][token] = score * 0.125f;  // 1 / sqrt(HEAD_DIM)
    }
  }
  __syncwarp();
  float largest = scores[warp][lane];
  for (unsigned token = lane + 32; token < TOKENS; token += 32) largest = fmaxf(largest, scores[warp][token]);
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, distance));
  float weight = 0;
  for (unsigned token = lane; token < TOKENS; token += 32) {
    const float one = __expf(scores[warp][token] - largest);
    scores[warp][token] = one;
    weight += one;
  }
  weight = warp_sum(weight);
  __syncwarp();
  float sum[8] = {};
  for (unsigned begin = lane / PARTS; begin < TOKENS; begin += AHEAD * (32 / PARTS)) {
#pragma unroll
    for (unsigned j = 0; j < AHEAD; ++j) {
      const unsigned token = begin + j * (32 / PARTS);
      float v[8];
      unpack8(values[first + token * PARTS], v);
      const float one = scores[warp][token];
#pragma unroll
      for (unsigned i = 0; i < 8; ++i) sum[i] += one * v[i];
    }
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    for (int distance = PARTS; distance < 32; distance *= 2) sum[i] += __shfl_xor_sync(0xffffffffU, sum[i], distance);
  }
  const unsigned place = head * SPLITS + blockIdx.x;
  if (lane < PARTS) {
    sums[(place * PARTS + part) * 2] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    sums[(place * PARTS + part) * 2 + 1] = make_float4(sum[4], sum[5], sum[6], sum[7]);
  }
  if (lane == 0) weights[place] = make_float2(largest, weight);
}
