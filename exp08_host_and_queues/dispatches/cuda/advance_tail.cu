// Counts a loop's steps, 8 bytes read and written by one thread, and launches its own graph again if another follows.
// No GLSL twin: no Vulkan shader submits a command buffer.
#include <cuda_device_runtime_api.h>

#include "cuda/advance.cuh"

extern "C" __global__ void advance_tail(unsigned int* state, AdvanceParams params) {
  if (threadIdx.x != 0 || !another_step(state, params)) return;
  const cudaError_t status = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
  if (status != cudaSuccess) state[EXP08_STATE_ERROR] = status;
}
