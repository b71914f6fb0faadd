// exp03's inner_struct: both fields of an 8-byte struct, 10 and 20 added: 8 bytes read and 8 written a thread in 4-byte
// accesses, each 8 bytes from the next thread's. Plain, and with features of Vulkan's machine code forced.
#include "force.cuh"
#include "params.h"

extern "C" __global__ void inner_struct(const Pair* a, Pair* b, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    Pair pair = a[i];
    pair.x += 10.0f;
    pair.y += 20.0f;
    b[i] = pair;
  }
}

#define FORCED(name, features, block)                                                          \
  extern "C" __global__ void inner_struct_##name(const float* a, float* b, BdaParams params) { \
    const uint i = thread_index<block>();                                                      \
    if (i < params.count) {                                                                    \
      const float x = load<(features)>(a, 2 * i, params.in_bytes);                             \
      const float y = load<(features)>(a, 2 * i + 1, params.in_bytes);                         \
      store<(features)>(b, 2 * i, params.out_bytes, x + 10.0f);                                \
      store<(features)>(b, 2 * i + 1, params.out_bytes, y + 20.0f);                            \
    }                                                                                          \
  }

FORCED(strong_store, kStrongStore, 0)
FORCED(constant_load, kConstantLoad, 0)
FORCED(all_256, kConstantLoad | kStrongStore | kBounds | kOffset32, 256)

// Room for Vulkan's machine code, which takes the place of this at run time.
FORCED(code_host, kBounds, 0)
