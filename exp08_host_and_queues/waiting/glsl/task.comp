// One invocation works for a time by the GPU's clock, stores 12 bytes, and, if it TELLS, sets a flag in the host's memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool TELLS = false;
layout(push_constant) uniform Push { TaskParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Done { uint done[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Trace { uint trace[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) volatile coherent buffer Flag { uint value; };

uint ticks() { return clockRealtime2x32EXT().x; }

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint begin = ticks();
  uint end = begin;
  // 16 reads a turn: Mesa's lavapipe ends any loop after 65535 turns.
  for (uint turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) {
    for (uint i = 0; i < 16 && end - begin < params.ticks; ++i) end = ticks();
  }
  done[0] = EXP08_DONE;
  trace[0] = begin;
  trace[1] = end;
  if (!TELLS) return;
  memoryBarrier();
  Flag(uvec2(params.flag_low, params.flag_high)).value = params.value;
}
