// No GLSL twin: Vulkan has no hints to the caches.
// copy_plain_16 with loads that the L2 is asked to keep: all under one policy, evict_last.
#include "copy_plain.cuh"

template <uint UNROLL>
__device__ __forceinline__ void copy_evict_last(const uint4* a, uint4* b, const TileParams& params) {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  const auto load = [&](const uint4* from) {
    uint4 value;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(__cvta_generic_to_global(from)), "l"(policy)
                 : "memory");
    return value;
  };
  copy_plain<UNROLL>(a, b, params, load);
}

extern "C" __global__ void copy_evict_last_16_1(const uint4* a, uint4* b, TileParams params) {
  copy_evict_last<1>(a, b, params);
}
extern "C" __global__ void copy_evict_last_16_2(const uint4* a, uint4* b, TileParams params) {
  copy_evict_last<2>(a, b, params);
}
