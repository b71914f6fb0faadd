// The same places over and over, `stride` words apart: 4 bytes a load, past the L1, one load in flight a thread and turn. A
// thread's next place is its last plus the number of threads, modulo the number of places.
#include "params.h"

// PTX's word for what GLSL calls coherent: an L1 may not answer it.
__device__ __forceinline__ uint load_from_l2(const uint* address) {
  uint value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(address)) : "memory");
  return value;
}

extern "C" __global__ void read_window(const uint* in, uint* out, WindowParams params) {
  const uint first = blockIdx.x * blockDim.x + threadIdx.x;
  const uint step = gridDim.x * blockDim.x % params.places;
  uint place = first % params.places;
  uint sum = 0;
#pragma unroll 1
  for (uint turn = 0; turn < params.turns; turn += params.advance) {
    sum += load_from_l2(in + place * params.stride);
    place += step;
    if (place >= params.places) place -= params.places;
  }
  out[first] = sum;
}
