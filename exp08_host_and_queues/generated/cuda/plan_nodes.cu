// Decides which jobs run, and how large, and sets the nodes of its own graph so: one thread a node, 8 bytes read and 4 written.
// No GLSL twin: no Vulkan shader changes a command buffer.
#include <cuda_device_runtime_api.h>

#include "cuda/table.cuh"

extern "C" __global__ void plan_nodes(const cudaGraphDeviceNode_t* nodes, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job >= params.jobs) return;
  const Sequence mine = planned(params, job);
  cudaError_t status = cudaGraphKernelNodeSetEnabled(nodes[job], mine.x != 0);
  if (status == cudaSuccess && mine.x != 0) status = cudaGraphKernelNodeSetGridDim(nodes[job], dim3(mine.x));
  // Behind the pointer, which is the kernel's first parameter.
  if (status == cudaSuccess && mine.x != 0) {
    status = cudaGraphKernelNodeSetParam(nodes[job], sizeof(unsigned int*), &mine.params, sizeof(mine.params));
  }
  errors[job] = status;
}
