// One invocation follows addresses through a table, 8 bytes of a 128-byte line a step, with nothing between two loads. Its output
// is the line where it ends.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
// coherent: past the L1, as loaded_chase's loads are.
layout(buffer_reference, std430, buffer_reference_align = 8) coherent readonly buffer Line { uvec2 next; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Results { uint results[]; };
layout(push_constant, std430) uniform Push {
  Line table;
  Results result;
  PointerParams params;
};

void main() {
  const uvec2 base = uvec2(table);
  uint carry;
  const uint low = uaddCarry(base.x, pointer_line(0, params.lines) * EXP06_LINE_BYTES, carry);
  uvec2 line = uvec2(low, base.y + carry);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) line = Line(line).next;
  result.results[0] = (line.x - base.x) / EXP06_LINE_BYTES;  // below 4 GiB from the first line
}
