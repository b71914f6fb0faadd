// b = a, a workgroup for every tile of workgroup x UNROLL 16-byte vectors: all of an invocation's loads are issued before its
// first store. 16 * UNROLL bytes read and as many written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 1;
layout(set = 0, binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer B { uvec4 b[]; };

void main() {
  const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
  uvec4 value[UNROLL];
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) value[u] = a[first + u * gl_WorkGroupSize.x];
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) b[first + u * gl_WorkGroupSize.x] = value[u];
}
