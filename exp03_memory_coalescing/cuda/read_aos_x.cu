// out[i] = particles[i].x of a 16-byte struct: 4 bytes read a thread, 16 from the next one's; 4 written, coalesced.
#include "params.h"

extern "C" __global__ void read_aos_x(const Particle* particles, float* out, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) out[i] = particles[i].x;
}
