// The sum of n numbers in two launches: each block adds its part, then one block adds the parts. Threads read 4 bytes each,
// beside their neighbours'. Whole numbers, so that the order of additions does not matter.
#define THREADS 256

__device__ unsigned sum_of_block(unsigned value) {
  __shared__ unsigned partial[THREADS];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  return partial[0];
}

extern "C" __global__ void sum_parts(const unsigned* __restrict__ in, unsigned* __restrict__ parts, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += in[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

extern "C" __global__ void sum_all(const unsigned* __restrict__ parts, unsigned* __restrict__ out, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += THREADS) sum += parts[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *out = sum;
}
