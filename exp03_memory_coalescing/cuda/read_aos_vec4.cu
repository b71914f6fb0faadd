// All 16 bytes of particle i in one load, kept from being narrowed by y, z and w entering the result under a mask that is 0.
// out[i] = particles[i].x: 16 bytes read a thread, contiguous in the warp; 4 written, coalesced.
#include "params.h"

extern "C" __global__ void read_aos_vec4(const uint4* particles, uint* out, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    const uint4 p = particles[i];
    out[i] = p.x ^ ((p.y ^ p.z ^ p.w) & params.zero);
  }
}
