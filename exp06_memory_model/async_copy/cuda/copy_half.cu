// No GLSL twin: Vulkan has no asynchronous copies.
// b = a, a block for every chunk of blockDim x UNROLL 16-byte vectors: in by a bulk copy and out by plain stores, or in by
// plain loads and out by a bulk copy.
#include "cuda/kernels/bulk.cuh"
#include "params.h"

template <uint UNROLL>
__device__ __forceinline__ void copy_half_in(const uint4* a, uint4* b, const CopyParams& params) {
  extern __shared__ __align__(128) uint4 chunk[];
  __shared__ unsigned long long barrier;
  const uint first = blockIdx.x * blockDim.x * UNROLL;
  if (threadIdx.x == 0) {
    barrier_init(&barrier);
    fence_async();
    barrier_expect(&barrier, params.chunk_bytes);
    bulk_load(chunk, a + first, params.chunk_bytes, &barrier);
  }
  __syncthreads();
  if (!barrier_wait(&barrier, 0)) return;  // what is missing in b fails the comparison
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) value[u] = chunk[threadIdx.x + u * blockDim.x];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) b[first + threadIdx.x + u * blockDim.x] = value[u];
}

template <uint UNROLL>
__device__ __forceinline__ void copy_half_out(const uint4* a, uint4* b, const CopyParams& params) {
  extern __shared__ __align__(128) uint4 chunk[];
  const uint first = blockIdx.x * blockDim.x * UNROLL;
  uint4 value[UNROLL];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) value[u] = a[first + threadIdx.x + u * blockDim.x];
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) chunk[threadIdx.x + u * blockDim.x] = value[u];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(b + first, chunk, params.chunk_bytes);
    bulk_wait_read<0>();
  }
}

#define COPY_HALF(way, unroll)                                                                                \
  extern "C" __global__ void copy_half_##way##_##unroll(const uint4* a, uint4* b, uint*, CopyParams params) { \
    copy_half_##way<unroll>(a, b, params);                                                                    \
  }
COPY_HALF(in, 2)
COPY_HALF(in, 4)
COPY_HALF(in, 8)
COPY_HALF(out, 2)
COPY_HALF(out, 4)
COPY_HALF(out, 8)
