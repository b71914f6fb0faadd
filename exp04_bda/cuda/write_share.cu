// write_u32x4 over and over into a window of params.steps + 1 vectors, a power of two; each block also stores which SM ran it,
// 4 bytes for 16 a thread.
#include "core/words.cuh"
#include "cuda/kernels/sm_id.cuh"
#include "params.h"

extern "C" __global__ void write_share(uint4* b, uint* sms, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= params.count) return;
  const uint at = i & params.steps;
  words_of(at, b[at]);
  if (threadIdx.x == 0) sms[blockIdx.x] = sm_id();
}
