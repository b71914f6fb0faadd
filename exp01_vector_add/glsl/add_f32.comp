// c[i] = a[i] + b[i]; one float an invocation, coalesced: 8 bytes read, 4 written.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { float b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer C { float c[]; };
layout(push_constant, std430) uniform Push { CountParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) c[i] = a[i] + b[i];
}
