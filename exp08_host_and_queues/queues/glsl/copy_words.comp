// b[i] = a[i]: 4 bytes read an invocation, 4 written.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant, std430) uniform Push { WordsParams params; };
layout(set = 0, binding = 0, std430) readonly buffer Input { uint a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint b[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) b[i] = a[i];
}
