// No GLSL twin: Vulkan has no asynchronous copies.
// load_bulk: bulk copies into shared memory, summed up there. store_bulk: out of shared memory, where other bulk copies have
// brought the data from this GPU's memory. Of both_bulk's blocks every other one loads, the rest store.
#include "exp06_memory_model/cuda/copy_warp_rings.cuh"
#include "exp06_memory_model/cuda/read_ring.cuh"
#include "params.h"

#define CHUNK(base, number) ((base) + static_cast<size_t>(number) * params.chunk_bytes)

__device__ __forceinline__ void load_chunks(const unsigned char* in, uint* sums, const RingParams& params, uint block,
                                            uint blocks) {
  const auto load = [&](void* slot, uint chunk, unsigned long long* barrier) {
    bulk_load(slot, CHUNK(in, chunk), params.chunk_bytes, barrier);
  };
  read_ring(load, sums, params, block, blocks);
}

__device__ __forceinline__ void store_chunks(const unsigned char* from, unsigned char* to, const RingParams& params, uint block,
                                             uint blocks) {
  const auto store = [&](uint chunk, const void* slot) { bulk_store(CHUNK(to, chunk), slot, params.chunk_bytes); };
  copy_warp_rings<8>(from, store, params, block, blocks);
}

extern "C" __global__ void load_bulk(const unsigned char* in, uint* sums, RingParams params) {
  load_chunks(in, sums, params, blockIdx.x, gridDim.x);
}

extern "C" __global__ void store_bulk(const unsigned char* from, unsigned char* to, RingParams params) {
  store_chunks(from, to, params, blockIdx.x, gridDim.x);
}

extern "C" __global__ void both_bulk(const unsigned char* in, const unsigned char* from, unsigned char* to, uint* sums,
                                     RingParams params) {
  if (blockIdx.x % 2 == 0) {
    load_chunks(in, sums, params, blockIdx.x / 2, gridDim.x / 2);
  } else {
    store_chunks(from, to, params, blockIdx.x / 2, gridDim.x / 2);
  }
}
