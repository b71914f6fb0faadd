// y = a * x + y. Each thread reads 4 bytes of x and of y, and writes 4 bytes of y, beside its neighbours'.
extern "C" __global__ void saxpy(unsigned n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
