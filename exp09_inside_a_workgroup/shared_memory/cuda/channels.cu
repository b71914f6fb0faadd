// A convolution of one pixel and 128 channels a block, after a forum's kernel (see DESIGN.md): every thread reads one input
// word, 64 of the block's by broadcasts from shared memory, and 64 weights: 32 KiB for all. 4 bytes written by half of them.
#include "params.h"

template <int kWeights>
__device__ __forceinline__ void convolve(const float* __restrict__ pixels, const float* __restrict__ weights,
                                         float* __restrict__ result, ChannelParams params) {
  __shared__ float cache[EXP09_CHANNELS];
  __shared__ float weight_cache[EXP09_CHANNELS];
  __shared__ float sums[EXP09_CHANNELS];
  const uint thread = threadIdx.x;
  const uint pixel = blockIdx.z * params.width + blockIdx.y;
  cache[thread] = pixels[thread * params.slice + pixel];
  weight_cache[thread] = weights[thread];
  __syncthreads();
  const uint begin = thread / EXP09_HALF * EXP09_HALF;
  const uint row = thread - begin;
  float sum = 0;
#pragma unroll
  for (uint k = 0; k < EXP09_HALF; ++k) {
    const uint channel = begin + k;
    const float weight = kWeights == EXP09_ROWS      ? weights[row * EXP09_CHANNELS + channel]
                         : kWeights == EXP09_COLUMNS ? weights[channel * EXP09_HALF + row]
                                                     : weight_cache[channel];
    sum += cache[channel] * weight;
  }
  sums[thread] = sum;
  __syncthreads();
  if (thread < EXP09_HALF) result[thread * params.slice + pixel] = sums[thread] + sums[thread + EXP09_HALF];
}

#define CHANNELS(name, kind)                                                                                                   \
  extern "C" __global__ void channels_##name(const float* pixels, const float* weights, float* result, ChannelParams params) { \
    convolve<kind>(pixels, weights, result, params);                                                                           \
  }

CHANNELS(rows, EXP09_ROWS)
CHANNELS(columns, EXP09_COLUMNS)
CHANNELS(shared, EXP09_SHARED)
