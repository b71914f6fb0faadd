// b[i] = the first float of i's 128-byte line: all lanes of a subgroup read the same 4 bytes; 4 written, coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer B { float b[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) b[i] = a[i & ~31u];
}
