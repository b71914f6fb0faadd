// c[i] = a[i] + b[i]; four floats a thread in 16-byte accesses, coalesced: 32 bytes read, 16 written.
#include "params.h"

extern "C" __global__ void add_f32x4(const float4* a, const float4* b, float4* c, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    const float4 x = a[i];
    const float4 y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}
