// Every lane follows `steps` addresses through a table, each load needing the one before: 8 bytes a step from anywhere in the
// table. Its output is the index of the node where it ends.
#include "params.h"

struct Node {
  const Node* next;
};

// nvcc does not know that a loaded address is a global one, and would take the generic load (LD, not LDG); a Vulkan driver
// knows.
__device__ __forceinline__ const Node* load_global(const Node* node) {
  unsigned long long next;
  asm("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(node));
  return reinterpret_cast<const Node*>(next);
}

extern "C" __global__ void chase(const Node* nodes, uint* out, BdaParams params) {
  const uint lane = blockIdx.x * blockDim.x + threadIdx.x;
  const Node* node = nodes + EXP04_START(lane, params.count);
#pragma unroll 1
  for (uint step = 0; step < params.steps; ++step) node = load_global(node);
  out[lane] = static_cast<uint>(node - nodes);
}
