// Decides which jobs run, and how large, and launches a graph for each that does: 24 bytes written a job, 8 read a graph.
// No GLSL twin: no Vulkan shader submits a command buffer.
#include <cuda_device_runtime_api.h>

#include "cuda/table.cuh"

// One block: a graph that it launches reads what all of its threads wrote.
extern "C" __global__ void plan_graphs(const cudaGraphExec_t* graphs, unsigned int* errors, PlanParams params) {
  write_plan(params, threadIdx.x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned int job = 0; job < params.jobs; ++job) {
    errors[job] = job < params.runs ? cudaGraphLaunch(graphs[job], cudaStreamGraphFireAndForget) : cudaSuccess;
  }
}
