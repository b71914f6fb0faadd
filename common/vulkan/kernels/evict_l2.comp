#version 460
// Grid-stride read of 16 B per invocation and step, coalesced. Nothing is written, so no dirty line is left in L2.
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { EvictParams params; };
layout(set = 0, binding = 0) readonly buffer Data { uvec4 data[]; };
layout(set = 0, binding = 1) writeonly buffer Sink { uint sink[]; };

void main() {
  uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  uvec4 folded = uvec4(0);
  for (uint i = gl_GlobalInvocationID.x; i < params.vec4_count; i += stride) {
    folded ^= data[i];
  }
  uint result = folded.x ^ folded.y ^ folded.z ^ folded.w;
  if (result == params.impossible) {  // keeps the loads alive
    sink[0] = result;
  }
}
