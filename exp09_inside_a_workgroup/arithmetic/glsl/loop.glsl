// A full GPU: loops of BOUND turns, with HINT, and with GUARDED a counter of turns beside the condition. Nothing read; 4 bytes
// written an invocation.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint SPECIALIZED = EXP09_BOUND;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { LoopParams params; };

void main() {
  uint value = gl_LocalInvocationID.x;
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) {
#ifdef GUARDED
    uvec2 left = uvec2(0xffffffffu);
#endif
    HINT for (uint i = 0; i < BOUND; ++i) {
#ifdef GUARDED
      if (left == uvec2(0)) break;
      left -= uvec2(uint(left.y == 0), 1);
#endif
      value = next_of_loop(value, i);
    }
  }
  result[gl_GlobalInvocationID.x] = value;
}
