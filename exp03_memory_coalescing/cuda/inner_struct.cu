// Both fields of an 8-byte struct, loaded and stored whole: 8 bytes read and 8 written a thread. In 4-byte accesses, each
// is 8 bytes from the next thread's; the struct's alignment of 4 promises no wider ones.
#include "params.h"

extern "C" __global__ void inner_struct(const InnerStruct* data, InnerStruct* result, AccessParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) {
    InnerStruct tmp = data[i];
    tmp.x += 10.0f;
    tmp.y += 20.0f;
    result[i] = tmp;
  }
}
