// Makes the table that `pointer_chase` follows: a line holds the address of the line after it, 8 bytes written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Line { uvec2 next; };
layout(push_constant, std430) uniform Push {
  Line table;
  PointerParams params;
};

uvec2 address_of(uint line) {
  const uvec2 base = uvec2(table);
  uint carry;
  const uint low = uaddCarry(base.x, line * EXP06_LINE_BYTES, carry);  // below 4 GiB from the first line
  return uvec2(low, base.y + carry);
}

void main() {
  const uint t = gl_GlobalInvocationID.x;
  if (t < params.lines) Line(address_of(pointer_line(t, params.lines))).next = address_of(pointer_line(t + 1, params.lines));
}
