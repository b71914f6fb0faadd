// No GLSL twin: Vulkan has no asynchronous copies.
// b = a, a block for every chunk: in by a bulk copy and out by plain stores, or in by plain loads and out by a bulk copy.
#include "exp06_memory_model/cuda/bulk.cuh"
#include "params.h"

extern "C" __global__ void copy_half_in(const uint4* a, uint4* b, uint*, CopyParams params) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) uint4 chunk[];
  __shared__ unsigned long long barrier;
  const uint vectors = params.chunk_bytes / 16;
  const size_t first = static_cast<size_t>(blockIdx.x) * vectors;
  if (threadIdx.x == 0) {
    barrier_init(&barrier);
    fence_async();
    barrier_expect(&barrier, params.chunk_bytes);
    bulk_load(chunk, a + first, params.chunk_bytes, &barrier);
  }
  __syncthreads();
  if (!barrier_wait(&barrier, 0)) return;  // what is missing in b fails the comparison
#pragma unroll 4
  for (uint i = threadIdx.x; i < vectors; i += blockDim.x) b[first + i] = chunk[i];
#endif
}

extern "C" __global__ void copy_half_out(const uint4* a, uint4* b, uint*, CopyParams params) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) uint4 chunk[];
  const uint vectors = params.chunk_bytes / 16;
  const size_t first = static_cast<size_t>(blockIdx.x) * vectors;
#pragma unroll 4
  for (uint i = threadIdx.x; i < vectors; i += blockDim.x) chunk[i] = a[first + i];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(b + first, chunk, params.chunk_bytes);
    bulk_wait_read<0>();
  }
#endif
}
