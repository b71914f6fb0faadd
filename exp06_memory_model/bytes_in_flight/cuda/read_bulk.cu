// No GLSL twin: Vulkan has no asynchronous copies.
// Everything read once by 1-D bulk copies (cp.async.bulk), `stages` chunks in flight a warp.
#include "exp06_memory_model/cuda/read_ring.cuh"

extern "C" __global__ void read_bulk(const unsigned char* in, uint* sums, RingParams params) {
  const auto load = [&](void* slot, uint chunk, unsigned long long* barrier) {
    bulk_load(slot, in + static_cast<size_t>(chunk) * params.chunk_bytes, params.chunk_bytes, barrier);
  };
  read_ring(load, sums, params);
}
