// write_u32x4 over and over into a window of the buffer, or into every 2^spread-th granule of the buffer; each block also
// stores which SM ran it, 4 bytes for 16 a thread.
#include "core/base/words.cuh"
#include "cuda/kernels/sm_id.cuh"
#include "params.h"

extern "C" __global__ void write_share(uint4* b, uint* sms, ShareParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= params.count) return;
  const uint at = EXP10_SPREAD(i & params.last, params.spread);
  words_of(at, b[at]);
  if (threadIdx.x == 0) sms[blockIdx.x] = sm_id();
}
