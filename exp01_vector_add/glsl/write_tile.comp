// Word i of the output becomes incompressible_word(i), in tiles of workgroup x UNROLL 16-byte vectors: nothing read,
// 16 * UNROLL bytes written an invocation; every subgroup access is contiguous.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 1;
layout(set = 0, binding = 0, std430) writeonly buffer B { uvec4 b[]; };
layout(push_constant, std430) uniform Push { CountParams params; };

void main() {
  const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * gl_WorkGroupSize.x;
    const uint word = i * 4;
    if (i < params.count) {
      b[i] = uvec4(incompressible_word(word), incompressible_word(word + 1), incompressible_word(word + 2),
                   incompressible_word(word + 3));
    }
  }
}
