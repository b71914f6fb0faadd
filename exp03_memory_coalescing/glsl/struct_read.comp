// out[i] = sum of the first FIELDS floats of struct i of WORDS floats: 4 * FIELDS bytes read an invocation in 4-byte loads,
// each 4 * WORDS from the next invocation's; 4 written, coalesced. Left to right, so that the sum can be checked bit for bit.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1;
layout(constant_id = 2) const uint FIELDS = 1;
layout(set = 0, binding = 0, std430) readonly buffer Data { float data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { float out_sum[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    precise float sum = data[i * WORDS];  // without it a driver may add in another order
    [[unroll]] for (uint field = 1; field < FIELDS; ++field) sum += data[i * WORDS + field];
    out_sum[i] = sum;
  }
}
