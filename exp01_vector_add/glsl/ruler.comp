// One invocation a workgroup waits by the GPU's clock and stores when it began and ended: a kernel whose own length is known.
// 16 bytes read and written, and one atomic addition, all but the last 12 while it waits.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_realtime_clock : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { RulerParams params; };
layout(set = 0, binding = 0, std430) coherent buffer Stamps { uint stamps[]; };

uint ticks() { return clockRealtime2x32EXT().x; }

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint begin = ticks();
  // Which dispatch this is. The workgroup that is the last to have asked counts it.
  const uint launch = stamps[RULER_LAUNCHES];
  memoryBarrierBuffer();
  if (atomicAdd(stamps[RULER_TICKETS], 1u) == gl_NumWorkGroups.x - 1) {
    stamps[RULER_TICKETS] = 0;
    stamps[RULER_LAUNCHES] = launch + 1;
  }
  uint end = begin;
  uint step = ~0u;
  for (uint turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) {
    const uint now = ticks();
    if (now != end) step = min(step, now - end);
    end = now;
  }
  const uint mine = RULER_HEAD + (launch % RULER_SLOTS * gl_NumWorkGroups.x + gl_WorkGroupID.x) * RULER_WORDS;
  stamps[mine] = begin;
  stamps[mine + 1] = end;
  stamps[mine + 2] = step;
}
