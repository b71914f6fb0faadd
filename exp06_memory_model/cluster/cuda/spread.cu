// No GLSL twin: Vulkan has no clusters.
// Blocks that each have an SM to themselves, by their shared memory, and do `work` steps of arithmetic: how many of the GPU's
// SMs do clusters of a size leave to work?
#include "cluster.cuh"

CLUSTER_KERNEL spread(const uint*, uint* out, ClusterParams params) {
  uint value = blockIdx.x;
  const uint begin = cycles();
#pragma unroll 1
  for (uint i = 0; i < params.work; ++i) value = EXP06_CHAIN(value);
  const uint elapsed = cycles() - begin;
  if (threadIdx.x == 0) {
    record(out, true, make_uint4(value, cluster_rank(), cluster_blocks(), blockIdx.x / cluster_blocks()), elapsed);
  }
}
