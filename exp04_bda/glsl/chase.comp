// Every invocation follows `steps` indices through a table, each load needing the one before: 8 bytes a step from anywhere in the table. A
// descriptor cannot be followed to an address, so the table holds indices into itself. Its output is the index where it ends.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Nodes { uvec2 nodes[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint last[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };

void main() {
  const uint lane = gl_GlobalInvocationID.x;
  uvec2 node = uvec2(EXP04_START(lane, params.count), 0);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) node = nodes[node.x];
  last[lane] = node.x | node.y;  // y, which is 0, so that all 8 bytes are loaded
}
