// plan_children, for jobs that run here and there.
// No GLSL twin: no Vulkan shader dispatches.
#define SCATTERED
#include <cuda_device_runtime_api.h>

#include "cuda/run_block.cuh"
#include "cuda/table.cuh"

extern "C" __global__ void child_scattered(unsigned int* tags, JobParams params) {
  if (threadIdx.x == 0) run_block(tags, params, blockIdx.x);
}

extern "C" __global__ void plan_children_scattered(unsigned int* tags, unsigned int* errors, PlanParams params) {
  const unsigned int job = blockIdx.x * blockDim.x + threadIdx.x;
  if (job >= params.jobs) return;
  const Sequence mine = planned(params, job);
  if (mine.x != 0) child_scattered<<<mine.x, blockDim.x, 0, cudaStreamFireAndForget>>>(tags, mine.params);
  errors[job] = cudaGetLastError();
}
