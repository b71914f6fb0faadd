// Grid-stride read of 4 B per thread and step, coalesced; two atomic additions per thread.
// Twin: common/vulkan/kernels/checksum.comp.
#include "core/base/data_words.h"

extern "C" __global__ void checksum(const uint* data, uint* sums, ChecksumParams params) {
  const uint stride = gridDim.x * blockDim.x;
  uint sum_lo = 0;
  uint sum_hi = 0;
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < params.count; i += stride) {
    const uint lo = checksum_lo(i, data[i]);
    sum_lo += lo;
    sum_hi += checksum_hi(i, lo);
    if (params.count - i <= stride) break;  // the index may not run over
  }
  atomicAdd(&sums[0], sum_lo);
  atomicAdd(&sums[1], sum_hi);
}
