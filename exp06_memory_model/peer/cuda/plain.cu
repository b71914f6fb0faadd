// No GLSL twin: Vulkan's other GPU is behind a device group (see Device::peer).
// Tiles of blockDim x UNROLL 16-byte vectors, loaded and summed up, or stored; the memory may be another GPU's. Of both_plain's
// blocks every other one loads, the rest store.
#include "exp06_memory_model/cuda/read_plain.cuh"
#include "params.h"

template <uint UNROLL>
__device__ __forceinline__ void store_plain(uint4* out, TileParams params, uint block = blockIdx.x, uint blocks = gridDim.x) {
#pragma unroll 1
  for (uint tile = block; tile < params.tiles; tile += blocks) {
    const uint first = tile * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) {
      const uint i = first + u * blockDim.x;
      out[i] = make_uint4(EXP06_STORED(4 * i), EXP06_STORED(4 * i + 1), EXP06_STORED(4 * i + 2), EXP06_STORED(4 * i + 3));
    }
  }
}

#define PLAIN(unroll)                                                                                                  \
  extern "C" __global__ void load_plain_##unroll(const uint4* in, uint* sums, TileParams params) {                     \
    read_plain<unroll>(in, sums, params);                                                                              \
  }                                                                                                                    \
  extern "C" __global__ void store_plain_##unroll(uint4* out, TileParams params) { store_plain<unroll>(out, params); } \
  extern "C" __global__ void both_plain_##unroll(const uint4* in, uint4* out, uint* sums, TileParams params) {         \
    if (blockIdx.x % 2 == 0) {                                                                                         \
      read_plain<unroll>(in, sums, params, blockIdx.x / 2, gridDim.x / 2);                                             \
    } else {                                                                                                           \
      store_plain<unroll>(out, params, blockIdx.x / 2, gridDim.x / 2);                                                 \
    }                                                                                                                  \
  }
PLAIN(1)
PLAIN(8)
