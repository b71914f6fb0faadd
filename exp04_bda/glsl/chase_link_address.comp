// Makes the table that `chase_address` follows: node i holds the address of the node after it, 8 bytes written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Nodes { uvec2 next[]; };
layout(push_constant, std430) uniform Push {
  Nodes nodes;
  BdaParams params;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    const uvec2 base = uvec2(nodes);
    uint carry;
    const uint low = uaddCarry(base.x, EXP04_NEXT(i, params.count) * 8, carry);
    nodes.next[i] = uvec2(low, base.y + carry);
  }
}
