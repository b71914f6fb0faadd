// b[i] = a[element of i], 32 elements from the neighbouring thread's: every lane of a warp reads another sector. 4 bytes read,
// 4 written.
#include "force.cuh"
#include "params.h"

extern "C" __global__ void gather_u32(const uint* a, uint* b, BdaParams params) {
  const uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < params.count) b[i] = a[EXP04_GATHERED(i, params.count, params.steps)];
}

// Room for Vulkan's machine code, which takes the place of this at run time.
extern "C" __global__ void gather_u32_code_host(const float* a, float* b, BdaParams params) {
  const uint i = thread_index<0>();
  if (i < params.count) {
    const uint from = EXP04_GATHERED(i, params.count, params.steps);
    store<kBounds>(b, i, params.out_bytes, load<kBounds>(a, from, params.in_bytes));
  }
}
