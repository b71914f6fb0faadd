// Every invocation takes `steps` steps of a generator, each needing the one before: arithmetic alone, so the SM's clock alone.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Output { uint b[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  uint value = i;
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += EXP04_TURN) {
    [[unroll]] for (uint j = 0; j < EXP04_TURN; ++j) value = EXP04_SPUN(value);
  }
  b[i] = value;
}
