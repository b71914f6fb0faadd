// plan_nodes, but the jobs have their parameters already.
// No GLSL twin: no Vulkan shader changes a command buffer.
#include "cuda/set_node.cuh"

extern "C" __global__ void plan_nodes_constant(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job < params.jobs) errors[job] = set_node(nodes[job], planned(params, job), false);
}
