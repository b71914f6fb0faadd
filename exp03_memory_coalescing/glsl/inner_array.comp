// The same fields as inner_struct, all x before all y: 8 bytes read and 8 written an invocation, every access coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Data { float data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { float result[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    const float x = data[i];
    const float y = data[params.count + i];
    result[i] = x + 10.0f;
    result[params.count + i] = y + 20.0f;
  }
}
