// A job's kernel: 4 bytes written a block.
#include "cuda/run_block.cuh"

extern "C" __global__ void job(unsigned int* tags, JobParams params) {
  if (threadIdx.x == 0) run_block(tags, params, blockIdx.x);
}
