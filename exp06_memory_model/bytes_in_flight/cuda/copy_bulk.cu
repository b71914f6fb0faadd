// No GLSL twin: Vulkan has no asynchronous copies.
// b = a by bulk copies into shared memory and out of it again.
#include "exp06_memory_model/cuda/copy_warp_rings.cuh"

template <uint STAGES>
__device__ __forceinline__ void copy_bulk(const unsigned char* a, unsigned char* b, const RingParams& params) {
  const auto store = [&](uint chunk, const void* slot) {
    bulk_store(b + static_cast<size_t>(chunk) * params.chunk_bytes, slot, params.chunk_bytes);
  };
  copy_warp_rings<STAGES>(a, store, params);
}

extern "C" __global__ void copy_bulk_4(const unsigned char* a, unsigned char* b, RingParams params) {
  copy_bulk<4>(a, b, params);
}
extern "C" __global__ void copy_bulk_8(const unsigned char* a, unsigned char* b, RingParams params) {
  copy_bulk<8>(a, b, params);
}
