// Every invocation follows `steps` addresses through a table, each load needing the one before: 8 bytes a step from anywhere in the table.
// Its output is the index of the node where it ends. Its CUDA twin is chase.cu.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Node { uvec2 next; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { uint last[]; };

layout(local_size_x_id = 0) in;
layout(push_constant, std430) uniform Push {
  Node nodes;
  Out result;
  BdaParams params;
};

void main() {
  const uint lane = gl_GlobalInvocationID.x;
  const uvec2 base = uvec2(nodes);
  uint carry;
  const uint low = uaddCarry(base.x, EXP04_START(lane, params.count) * 8, carry);
  uvec2 node = uvec2(low, base.y + carry);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) node = Node(node).next;
  result.last[lane] = (node.x - base.x) >> 3;  // below 4 GiB from the first node
}
