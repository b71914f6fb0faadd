// A full GPU: each step goes through all paths, of which an invocation takes one. Nothing read; 4 bytes written an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { BranchParams params; };

void main() {
  const uint path = (gl_LocalInvocationID.x >> params.shift) & (params.ways - 1);
  uint value = gl_LocalInvocationID.x;
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) {
    [[dont_unroll]] for (uint way = 0; way < params.ways; ++way) {
      [[branch]] if (way == path) {
        [[unroll]] for (uint k = 0; k < EXP09_WORK; ++k) value = next_value(value, way);
      }
    }
  }
  result[gl_GlobalInvocationID.x] = value;
}
