// plan, for jobs that run here and there.
#define SCATTERED
#include "cuda/table.cuh"

extern "C" __global__ void plan_scattered(PlanParams params) { write_plan(params, blockIdx.x * blockDim.x + threadIdx.x); }
