// One invocation a workgroup stays by the GPU's clock, and stores when it began and ended: 8 bytes a workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant, std430) uniform Push { StayParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Spans { uint spans[]; };

uint ticks() { return clockRealtime2x32EXT().x; }

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint begin = ticks();
  uint end = begin;
  for (uint turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) {
    [[unroll]] for (uint look = 0; look < EXP08_LOOKS; ++look) end = ticks();
  }
  spans[gl_WorkGroupID.x * EXP08_STAY_WORDS] = begin;
  spans[gl_WorkGroupID.x * EXP08_STAY_WORDS + 1] = end;
}
