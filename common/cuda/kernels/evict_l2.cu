// Grid-stride read of 16 B per thread and step, coalesced. Nothing is written, so no dirty line is left in L2.
// Twin: common/vulkan/kernels/evict_l2.comp.
#include "cuda/kernels/params.h"

extern "C" __global__ void evict_l2(const uint4* data, unsigned* sink, bench::cuda::EvictParams params) {
  const unsigned stride = gridDim.x * blockDim.x;
  uint4 folded = {0, 0, 0, 0};
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < params.vec4_count; i += stride) {
    const uint4 v = data[i];
    folded.x ^= v.x;
    folded.y ^= v.y;
    folded.z ^= v.z;
    folded.w ^= v.w;
  }
  const unsigned result = folded.x ^ folded.y ^ folded.z ^ folded.w;
  if (result == params.impossible) sink[0] = result;  // keeps the loads alive
}
