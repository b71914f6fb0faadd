// Sums of all values up to each, of 1024 values per block: Hillis and Steele's scan in shared memory. Everything comes in one
// struct.
struct Params {
  const unsigned* from;
  unsigned* to;
  unsigned n;
};

extern "C" __global__ void __launch_bounds__(1024) scan(Params params) {
  __shared__ unsigned sums[1024];
  const unsigned i = blockIdx.x * 1024 + threadIdx.x;
  sums[threadIdx.x] = i < params.n ? params.from[i] : 0;
  __syncthreads();
  for (unsigned distance = 1; distance < 1024; distance *= 2) {
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < params.n) params.to[i] = sums[threadIdx.x];
}
