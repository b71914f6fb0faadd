// Every workgroup is counted while it waits for params.ns: counts[EXP06_MOST] becomes how many there were at once, at most.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_realtime_clock : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint HELD_VECTORS = 1;
layout(set = 0, binding = 0, std430) buffer Counts { uint counts[]; };
layout(push_constant, std430) uniform Push { ResidentParams params; };

shared uvec4 held[HELD_VECTORS];

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  if (params.none != 0) {  // never, but what could be used no compiler leaves out
    held[params.none] = uvec4(params.none);
    counts[EXP06_MOST] = held[params.ns].x;
  }
  const uint live = atomicAdd(counts[EXP06_LIVE], 1u) + 1;
  atomicMax(counts[EXP06_MOST], live);
  // Bounded even if the clock stands still, and modulo 2^32: a carry into the clock's upper half does no harm.
  const uint begin = clockRealtime2x32EXT().x;
  uint elapsed = 0;
  [[dont_unroll]] for (uint turn = 0; turn < params.ns && elapsed < params.ns; ++turn)
    elapsed = clockRealtime2x32EXT().x - begin;
  if (elapsed >= params.none) atomicAdd(counts[EXP06_LIVE], 0xffffffffu);  // always: without a use the wait would be left out
  memoryBarrierBuffer();  // not before this is done may another workgroup have its place
}
