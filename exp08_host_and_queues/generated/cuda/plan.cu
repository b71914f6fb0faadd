// Decides which jobs run, and how large: one thread a job, 24 bytes written each, and the count.
#include "cuda/table.cuh"

extern "C" __global__ void plan(PlanParams params) { write_plan(params, blockIdx.x * blockDim.x + threadIdx.x); }
