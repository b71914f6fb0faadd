// One thread; no memory access. No Vulkan twin: a command buffer is complete when it is submitted, so nothing needs holding.
#include "cuda/kernels/params.h"
#include "cuda/kernels/wait.cuh"

extern "C" __global__ void gate(bench::cuda::WaitParams params) { wait(params.ns); }
