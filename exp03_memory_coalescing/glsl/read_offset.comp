// b[i] = a[i + offset]: 4 bytes read an invocation, contiguous but aligned only where 4 * offset is; 4 written, coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer B { float b[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint k = i + params.offset;
  if (k < params.count) b[i] = a[k];
}
