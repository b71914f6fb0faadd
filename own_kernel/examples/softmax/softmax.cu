// out = softmax of each row. One block per row, three passes over it: the largest, the sum of exponentials, the quotients. The
// first pass reads DRAM, the others mostly cache.
#include <math.h>

#define THREADS 256

__device__ float reduced(float value, float* shared, bool is_max) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = shared[threadIdx.x + half];
      shared[threadIdx.x] = is_max ? fmaxf(shared[threadIdx.x], other) : shared[threadIdx.x] + other;
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    softmax(const float* __restrict__ in, float* __restrict__ out, int columns) {
  extern __shared__ float shared[];
  const float* row = in + static_cast<size_t>(blockIdx.x) * columns;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += THREADS) largest = fmaxf(largest, row[i]);
  largest = reduced(largest, shared, true);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += THREADS) sum += expf(row[i] - largest);
  sum = reduced(sum, shared, false);
  for (int i = threadIdx.x; i < columns; i += THREADS)
    out[static_cast<size_t>(blockIdx.x) * columns + i] = expf(row[i] - largest) / sum;
}
