// inner_struct's work on a struct that is aligned to its 8 bytes, as vec2 is: 8 bytes read and 8 written an invocation, in one
// access each.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Data { vec2 data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { vec2 result[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    vec2 tmp = data[i];
    tmp.x += 10.0f;
    tmp.y += 20.0f;
    result[i] = tmp;
  }
}
