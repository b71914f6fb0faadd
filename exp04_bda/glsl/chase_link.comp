// Makes the table that `chase` follows: node i holds the index of the node after it, 8 bytes written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Nodes { uvec2 nodes[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) nodes[i] = uvec2(EXP04_NEXT(i, params.count), 0);
}
