// b[i] = a[i]; one float a thread, coalesced: 4 bytes read, 4 written. The same copy with what CUDA can say about its pointers,
// and with features of Vulkan's machine code forced.
#include "force.cuh"
#include "params.h"

#define COPY(name, in, out)                                        \
  extern "C" __global__ void name(in a, out b, BdaParams params) { \
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;          \
    if (i < params.count) b[i] = a[i];                             \
  }

COPY(copy_f32, const float*, float*)
COPY(copy_f32_plain, float*, float*)
COPY(copy_f32_restrict, const float* __restrict__, float* __restrict__)
COPY(copy_f32_volatile, const volatile float*, volatile float*)

// PTX's words for GLSL's `coherent`: seen by the whole device.
extern "C" __global__ void copy_f32_coherent(const float* a, float* b, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    float value;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(a + i)) : "memory");
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(b + i)), "f"(value) : "memory");
  }
}

#define FORCED(name, features, block)                                                                         \
  extern "C" __global__ void copy_f32_##name(const float* a, float* b, BdaParams params) {                    \
    const uint i = thread_index<block>();                                                                     \
    if (i < params.count) store<(features)>(b, i, params.out_bytes, load<(features)>(a, i, params.in_bytes)); \
  }

FORCED(strong_store, kStrongStore, 0)
FORCED(constant_load, kConstantLoad, 0)
FORCED(constant_strong, kConstantLoad | kStrongStore, 0)
FORCED(bounds, kBounds, 0)
FORCED(offset32, kOffset32, 0)
FORCED(block_256, 0, 256)
FORCED(all_128, kConstantLoad | kStrongStore | kBounds | kOffset32, 128)
FORCED(all_256, kConstantLoad | kStrongStore | kBounds | kOffset32, 256)
FORCED(all_1024, kConstantLoad | kStrongStore | kBounds | kOffset32, 1024)

// Room for Vulkan's machine code, which takes the place of this at run time.
FORCED(code_host, kBounds, 0)
