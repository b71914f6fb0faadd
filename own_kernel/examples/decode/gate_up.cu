// out = f16(silu(gate * in) * (up * in)): the gate's FFN rows of weights stand before those of up. A warp makes two values.
#include "decode.h"
#include "dot8.cuh"

extern "C" __global__ void __launch_bounds__(ROWS * 32)
    gate_up(const uint4* __restrict__ weights, const uint4* __restrict__ in, __half2* __restrict__ out) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned pair = blockIdx.x * ROWS + threadIdx.x / 32;
  float value[2];
#pragma unroll
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned row = 2 * pair + k;
    float gate = 0;
    float up = 0;
#pragma unroll
    for (unsigned j = 0; j < HIDDEN / 8 / 32; ++j) {
      const unsigned i = j * 32 + lane;
      const uint4 x = in[i];
      gate = dot8(weights[row * (HIDDEN / 8) + i], x, gate);
      up = dot8(weights[(FFN + row) * (HIDDEN / 8) + i], x, up);
    }
    gate = warp_sum(gate);
    up = warp_sum(up);
    value[k] = __fdividef(gate, 1.0f + __expf(-gate)) * up;
  }
  if (lane == 0) out[pair] = __floats2half2_rn(value[0], value[1]);
}
