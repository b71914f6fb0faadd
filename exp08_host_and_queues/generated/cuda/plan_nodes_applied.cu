// plan_nodes, but what a thread sets of its node is one call.
// No GLSL twin: no Vulkan shader changes a command buffer.
#include "cuda/set_node.cuh"

extern "C" __global__ void plan_nodes_applied(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job >= params.jobs) return;
  const Sequence mine = planned(params, job);
  UpdateRoom room[3];
  cudaGraphKernelNodeUpdate* const updates = updates_in(room);
  errors[job] = cudaGraphKernelNodeUpdatesApply(updates, write_updates(updates, nodes[job], mine.x, &mine.params));
}
