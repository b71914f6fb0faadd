// plan_graphs, but each graph is launched by a thread of its own: 24 bytes written a job, 8 read a graph.
// No GLSL twin: no Vulkan shader submits a command buffer.
#include <cuda_device_runtime_api.h>

#include "cuda/table.cuh"

// One block: a graph that a thread launches reads the count, which the first thread wrote.
extern "C" __global__ void plan_graphs_by_threads(const cudaGraphExec_t* graphs, unsigned int* errors, PlanParams params) {
  write_plan(params, threadIdx.x);
  __threadfence();
  __syncthreads();
  const unsigned int job = threadIdx.x;
  if (job >= params.jobs) return;
  errors[job] = job < params.runs ? cudaGraphLaunch(graphs[job], cudaStreamGraphFireAndForget) : cudaSuccess;
}
