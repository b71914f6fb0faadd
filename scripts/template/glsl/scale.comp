// out[i] = factor * x[i]: 4 bytes read per invocation, 4 written, both coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { float out_x[]; };
layout(push_constant, std430) uniform Push { ScaleParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) out_x[i] = params.factor * x[i];
}
