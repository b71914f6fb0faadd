// Word i of the output becomes incompressible_word(i), in tiles of blockDim x UNROLL 16-byte vectors: nothing read, 16 * UNROLL
// bytes written a thread; every warp access is 512 contiguous bytes.
#include "params.h"

template <uint UNROLL>
__device__ void write_tile(uint4* b, uint count) {
  const uint first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
#pragma unroll
  for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * blockDim.x;
    const uint word = i * 4;
    if (i < count) {
      b[i] = make_uint4(incompressible_word(word), incompressible_word(word + 1), incompressible_word(word + 2),
                        incompressible_word(word + 3));
    }
  }
}

extern "C" __global__ void write_tile_1(uint4* b, CountParams params) { write_tile<1>(b, params.count); }
extern "C" __global__ void write_tile_2(uint4* b, CountParams params) { write_tile<2>(b, params.count); }
extern "C" __global__ void write_tile_4(uint4* b, CountParams params) { write_tile<4>(b, params.count); }
extern "C" __global__ void write_tile_8(uint4* b, CountParams params) { write_tile<8>(b, params.count); }
