// plan_nodes, but one thread a block sets the nodes of all of its threads in one call: 24 bytes of the table and up to 120 of
// updates written a node.
// No GLSL twin: no Vulkan shader changes a command buffer.
#include "cuda/set_node.cuh"

extern "C" __global__ void plan_nodes_in_one_call(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  __shared__ UpdateRoom room[3 * EXP08_THREADS];
  __shared__ unsigned int count;
  __shared__ cudaError_t status;
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) count = 0;
  write_plan(params, job);
  __syncthreads();
  cudaGraphKernelNodeUpdate* const updates = updates_in(room);
  if (job < params.jobs) {
    const Sequence& mine = sequences_of(table_of(params.table))[job];
    write_updates(updates + atomicAdd(&count, mine.x != 0 ? 3 : 1), nodes[job], mine.x, &mine.params);
  }
  __syncthreads();
  if (threadIdx.x == 0) status = cudaGraphKernelNodeUpdatesApply(updates, count);
  __syncthreads();
  if (job < params.jobs) errors[job] = status;
}
