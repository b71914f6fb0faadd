// One thread launches graphs, which need nothing of each other: 8 bytes read a graph.
// No GLSL twin: no Vulkan shader submits a command buffer.
#include <cuda_device_runtime_api.h>

#include "params.h"

extern "C" __global__ void launch_graphs(const cudaGraphExec_t* graphs, unsigned int* state, LaunchParams params) {
  if (threadIdx.x != 0) return;
  unsigned int done = 0;
  unsigned int error = 0;
  for (unsigned int i = 0; i < params.count; ++i) {
    const cudaError_t status = cudaGraphLaunch(graphs[i], cudaStreamGraphFireAndForget);
    if (status == cudaSuccess) {
      ++done;
    } else {
      error = status;
    }
  }
  state[EXP08_STATE_DONE] = done;
  state[EXP08_STATE_ERROR] = error;
}
