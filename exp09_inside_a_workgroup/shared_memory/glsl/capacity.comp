// Every workgroup fills all of its shared memory, reads it the other way round, and waits: counts[EXP09_MOST] becomes how many
// there were at once, at most.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_realtime_clock : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint HELD_WORDS = 1;
layout(set = 0, binding = 0, std430) buffer Counts { uint counts[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Push { CapacityParams params; };

shared uint held[HELD_WORDS];

void main() {
  const uint thread = gl_LocalInvocationID.x;
  if (thread == 0) {
    const uint live = atomicAdd(counts[EXP09_LIVE], 1u) + 1;
    atomicMax(counts[EXP09_MOST], live);
  }
  for (uint i = thread; i < params.words; i += params.advance) held[i] = incompressible_word(i + gl_WorkGroupID.x);
  barrier();
  uint sum = 0;
  for (uint i = thread; i < params.words; i += params.advance) sum += held[params.words - 1 - i];
  // Bounded even if the clock stands still, and modulo 2^32: a carry into the clock's upper half does no harm.
  const uint begin = clockRealtime2x32EXT().x;
  uint elapsed = 0;
  [[dont_unroll]] for (uint turn = 0; turn < params.ns && elapsed < params.ns; ++turn)
    elapsed = clockRealtime2x32EXT().x - begin;
  barrier();
  // No workgroup leaves before it is counted out: what is stored needs what the atomic returns, which is never 0. The use of
  // `elapsed` is always true: without one the wait would be left out.
  if (thread == 0 && elapsed + 1 != 0 && atomicAdd(counts[EXP09_LIVE], 0xffffffffu) == 0) ++sum;
  result[gl_GlobalInvocationID.x] = sum;
}
