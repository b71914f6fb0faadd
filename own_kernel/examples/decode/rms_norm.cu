// out = f16(in / rms(in) * weight). One block; a thread has HIDDEN / 2 / THREADS pairs of values.
#include <cuda_fp16.h>

#include "decode.h"
#include "dot8.cuh"

#define PAIRS (HIDDEN / 2 / THREADS)

extern "C" __global__ void __launch_bounds__(THREADS)
    rms_norm(const float2* __restrict__ in, const __half2* __restrict__ weight, __half2* __restrict__ out) {
  __shared__ float parts[THREADS / 32];
  const unsigned lane = threadIdx.x % 32;
  float2 x[PAIRS];
  float sum = 0;
#pragma unroll
  for (unsigned i = 0; i < PAIRS; ++i) {
    x[i] = in[i * THREADS + threadIdx.x];
    sum += x[i].x * x[i].x + x[i].y * x[i].y;
  }
  sum = warp_sum(sum);
  if (lane == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned i = lane; i < THREADS / 32; i += 32) sum += parts[i];
  const float scale = rsqrtf(warp_sum(sum) / HIDDEN + 1e-5f);
#pragma unroll
  for (unsigned i = 0; i < PAIRS; ++i) {
    const float2 w = __half22float2(weight[i * THREADS + threadIdx.x]);
    out[i * THREADS + threadIdx.x] = __floats2half2_rn(x[i].x * scale * w.x, x[i].y * scale * w.y);
  }
}
