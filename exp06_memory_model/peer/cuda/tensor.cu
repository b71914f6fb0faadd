// No GLSL twin: Vulkan has no asynchronous copies.
// load_tma and store_tma: load_bulk and store_bulk through a 2-D tensor map of the other GPU's memory. tile_tma: a box comes in
// by one tensor copy, is changed by plain accesses, and goes back by another.
#include "exp06_memory_model/cuda/copy_warp_rings.cuh"
#include "exp06_memory_model/cuda/read_tensor.cuh"
#include "params.h"

extern "C" __global__ void load_tma(const unsigned char*, uint* sums, const __grid_constant__ TmaParams params) {
  read_tensor(sums, params);
}

extern "C" __global__ void store_tma(const unsigned char* from, unsigned char*, const __grid_constant__ TmaParams params) {
  const uint rows = params.ring.chunk_bytes / (EXP06_ROW_WORDS * 4);
  const auto store = [&](uint chunk, const void* slot) { tensor_store(&params.map, 0, chunk * rows, slot); };
  copy_warp_rings<8>(from, store, params.ring);
}

// A block a box: those of row blockIdx.y that are of the colour.
extern "C" __global__ void tile_tma(uint*, const __grid_constant__ bench::cuda::TensorMap map) {
  __shared__ __align__(128) uint box[EXP06_BOX * EXP06_BOX];
  __shared__ unsigned long long barrier;
  const uint x = (2 * blockIdx.x + blockIdx.y % 2) * EXP06_BOX;
  const uint y = blockIdx.y * EXP06_BOX;
  if (threadIdx.x == 0) {
    barrier_init(&barrier);
    fence_async();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(&barrier, sizeof(box));
    tensor_load(box, &map, x, y, &barrier);
  }
  if (!__syncthreads_and(barrier_wait(&barrier, 0))) return;  // a box that stays as it was fails the comparison
  for (uint i = threadIdx.x; i < EXP06_BOX * EXP06_BOX; i += blockDim.x) box[i] = EXP06_CHANGED(box[i], i);
  fence_async();  // every writer's own: the copy is of another proxy
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_store(&map, x, y, box);
    bulk_wait();
  }
}
