// Loads and stores with features of Vulkan's machine code forced (as NVIDIA's driver 580 makes it), chosen by template
// parameter: two instances of a kernel differ in them and in nothing else. FEATURES 0 is plain C++.
#pragma once

#include "core/base/shader_types.h"

// Bits of FEATURES, and the SASS that each is for.
enum Feature : uint {
  kStrongStore = 1,   // STG.E.STRONG.SM in place of STG.E
  kConstantLoad = 2,  // LDG.E.CONSTANT in place of LDG.E
  kBounds = 4,        // compares with the buffers' sizes before every access
  kOffset32 = 8,      // a 32-bit byte offset, added to one base for all threads, in place of IMAD.WIDE
};

// Where `index` lies from `base`.
template <uint FEATURES, class T>
__device__ __forceinline__ T* element(T* base, uint index) {
  if constexpr ((FEATURES & kOffset32) != 0) {
    char* bytes = const_cast<char*>(reinterpret_cast<const char*>(base));
    return reinterpret_cast<T*>(bytes + index * static_cast<uint>(sizeof(T)));
  }
  return base + index;
}

// PTX ISA, "ld.global.nc": for data that nothing writes while the kernel runs.
__device__ __forceinline__ float load_constant(const float* address) {
  float value;
  asm("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(__cvta_generic_to_global(address)));
  return value;
}

// Reads 0 outside, as the driver's predicated load does.
template <uint FEATURES>
__device__ __forceinline__ float load(const float* base, uint index, uint buffer_bytes) {
  if ((FEATURES & kBounds) != 0 && index * 4U >= buffer_bytes) return 0;
  const float* address = element<FEATURES>(base, index);
  return (FEATURES & kConstantLoad) != 0 ? load_constant(address) : *address;
}

// PTX ISA, "st": relaxed at the scope of the block.
__device__ __forceinline__ void store_strong(float* address, float value) {
  asm volatile("st.relaxed.cta.global.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "f"(value) : "memory");
}
__device__ __forceinline__ void store_strong(uint4* address, uint4 value) {
  asm volatile("st.relaxed.cta.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(address)), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

// Stores nothing outside; the end of the element must not have wrapped around 2^32 either.
template <uint FEATURES, class T>
__device__ __forceinline__ void store(T* base, uint index, uint buffer_bytes, T value) {
  const uint end = (index + 1) * static_cast<uint>(sizeof(T));
  if ((FEATURES & kBounds) != 0 && (end < sizeof(T) || end > buffer_bytes)) return;
  T* address = element<FEATURES>(base, index);
  if constexpr ((FEATURES & kStrongStore) != 0) {
    store_strong(address, value);
  } else {
    *address = value;
  }
}

// This thread's index; BLOCK as a constant in the code, as Vulkan's specialization makes it, or 0 for the launch's own.
template <uint BLOCK>
__device__ __forceinline__ uint thread_index() {
  return blockIdx.x * (BLOCK == 0 ? blockDim.x : BLOCK) + threadIdx.x;
}
