// One word an invocation, by STEPS steps from its index and the mark: 4 bytes written.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kMark = EXP08_MARK;
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Words { uint words[]; };
layout(push_constant, std430) uniform Push { Words to; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint x = i ^ kMark;
  [[unroll]] for (uint k = 0; k < STEPS; ++k) x = made_step(x, k);
  to.words[i] = x;
}
