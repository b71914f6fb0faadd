// out[i] = in[i] + what an argument says, one word a thread, coalesced: 4 bytes read, 4 written.
#include "params.h"

extern "C" __global__ void step_pushed(const uint* in, uint* out, PushedParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + params.more;
}
