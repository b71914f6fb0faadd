// out = weights * in (+ residual). SPLIT warps per row of COLUMNS f16 weights, 8 of them with each 16-byte load.
#include "decode.h"
#include "dot8.cuh"

extern "C" __global__ void __launch_bounds__(ROWS * 32) product(const uint4* __restrict__ weights, const uint4* __restrict__ in,
#ifdef RESIDUAL
                                                                const float* __restrict__ residual,
#endif
                                                                float* __restrict__ out) {
  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = blockIdx.x * (ROWS / SPLIT) + warp / SPLIT;
  const unsigned first = warp % SPLIT * (COLUMNS / 8 / SPLIT);
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < COLUMNS / 8 / SPLIT / 32; ++k) {
    const unsigned i = first + k * 32 + lane;
    sum = dot8(weights[row * (COLUMNS / 8) + i], in[i], sum);
  }
  sum = warp_sum(sum);
#if SPLIT > 1
  __shared__ float parts[ROWS];
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (unsigned i = 0; i < SPLIT; ++i) sum += parts[warp / SPLIT * SPLIT + i];
#endif
  if (lane != 0 || warp % SPLIT != 0) return;
#ifdef RESIDUAL
  sum += residual[row];
#endif
  out[row] = sum;
}
