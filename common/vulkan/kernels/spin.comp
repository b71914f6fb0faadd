#version 460
// One invocation spins for a known time by the device's clock and writes the ticks it saw (4 B).
// No CUDA twin: it tests the Vulkan timer.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_realtime_clock : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { SpinParams params; };
layout(set = 0, binding = 0) writeonly buffer Elapsed { uint elapsed[]; };

// Modulo 2^32: a carry into the clock's upper half does no harm.
#define READ ticks = max(ticks, clockRealtime2x32EXT().x - begin);

void main() {
  uint begin = clockRealtime2x32EXT().x;
  uint ticks = 0;
  // 16 reads a step: Mesa's lavapipe ends any loop after 65535 steps, which with one read each is 2 ms.
  for (uint i = 0; i < params.max_steps && ticks < params.ticks; ++i) {
    READ READ READ READ READ READ READ READ
    READ READ READ READ READ READ READ READ
  }
  elapsed[0] = ticks;
}
