// out[i] = sum of the first FIELDS floats of struct i of WORDS floats: 4 * FIELDS bytes read a thread in 4-byte loads, each
// 4 * WORDS from the next thread's; 4 written, coalesced. Left to right, so that the sum can be checked bit for bit.
#include "params.h"

template <uint WORDS, uint FIELDS>
__device__ void struct_read(const float* data, float* out, uint count) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float sum = data[i * WORDS];
#pragma unroll
    for (uint field = 1; field < FIELDS; ++field) sum += data[i * WORDS + field];
    out[i] = sum;
  }
}

#define STRUCT_READ(bytes, fields)                                                                                \
  extern "C" __global__ void struct_read_##bytes##_##fields(const float* data, float* out, AccessParams params) { \
    struct_read<bytes / 4, fields>(data, out, params.count);                                                      \
  }

STRUCT_READ(4, 1)
STRUCT_READ(8, 1)
STRUCT_READ(8, 2)
STRUCT_READ(16, 1)
STRUCT_READ(16, 2)
STRUCT_READ(16, 4)
STRUCT_READ(32, 1)
STRUCT_READ(32, 4)
STRUCT_READ(32, 8)
STRUCT_READ(64, 1)
STRUCT_READ(64, 8)
STRUCT_READ(64, 16)
STRUCT_READ(128, 1)
STRUCT_READ(128, 16)
STRUCT_READ(128, 32)
