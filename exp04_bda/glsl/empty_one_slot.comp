// Nothing, with so many registers an invocation that an SM has room for one workgroup of 256 at a time: the branch, which no
// dispatch takes, keeps that many values alive.
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Output { uint b[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };

void main() {
  if (params.count != 0xffffffffu) return;
  const uint thread = gl_GlobalInvocationID.x;
  uint values[EXP04_ALIVE];
  [[unroll]] for (uint k = 0; k < EXP04_ALIVE; ++k) values[k] = thread ^ k;
  [[dont_unroll]] for (uint turn = 0; turn < params.steps; ++turn) {
    [[unroll]] for (uint k = 0; k < EXP04_ALIVE; ++k) values[k] = EXP04_SPUN(values[k]) + values[(k + 1) % EXP04_ALIVE];
  }
  uint sum = 0;
  [[unroll]] for (uint k = 0; k < EXP04_ALIVE; ++k) sum ^= values[k];
  b[thread] = sum;
}
