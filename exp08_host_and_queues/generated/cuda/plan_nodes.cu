// Decides which jobs run, and how large, and sets the nodes of its own graph so: one thread a node, 8 bytes read and 4 written.
// No GLSL twin: no Vulkan shader changes a command buffer.
#include "cuda/set_node.cuh"

extern "C" __global__ void plan_nodes(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job < params.jobs) errors[job] = set_node(nodes[job], planned(params, job), true);
}
