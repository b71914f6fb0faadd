// One thread sets the conditions of all of its graph's nodes. CUDA Runtime API, cudaGraphSetConditional: calls that may be
// concurrent are undefined behaviour; it does not say that this is about one condition alone.
#pragma once

#include <cuda_device_runtime_api.h>

#include "cuda/table.cuh"

// One block. `value_of` a job's grid.
template <class Value>
__device__ __forceinline__ void set_conditions(const cudaGraphConditionalHandle* handles, unsigned int* errors,
                                               const PlanParams& params, Value value_of) {
  __shared__ cudaGraphConditionalHandle mine[EXP08_MOST_JOBS];
  for (unsigned int job = threadIdx.x; job < params.jobs; job += blockDim.x) {
    mine[job] = handles[job];
    errors[job] = cudaSuccess;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned int job = 0; job < params.jobs; ++job) cudaGraphSetConditional(mine[job], value_of(planned(params, job).x));
}
