// The same fields as inner_struct, all x before all y: 8 bytes read and 8 written a thread, every access coalesced.
#include "params.h"

extern "C" __global__ void inner_array(const float* data, float* result, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    const float x = data[i];
    const float y = data[params.count + i];
    result[i] = x + 10.0f;
    result[params.count + i] = y + 20.0f;
  }
}
