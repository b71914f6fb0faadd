// out[i] = in[i] + 1, one word a thread, coalesced: 4 bytes read, 4 written. The next launch of a chain swaps the two buffers.
#include "core/base/shader_types.h"

extern "C" __global__ void step(const uint* in, uint* out) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}
