// plan_nodes, for jobs that run here and there.
// No GLSL twin: no Vulkan shader changes a command buffer.
#define SCATTERED
#include "cuda/set_node.cuh"

extern "C" __global__ void plan_nodes_scattered(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job < params.jobs) errors[job] = set_node(nodes[job], planned(params, job), true);
}
