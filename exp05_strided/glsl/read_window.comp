// The same places over and over, `stride` words apart: 4 bytes a load, past the L1, one load in flight an invocation and turn.
// An invocation's next place is its last plus the number of invocations, modulo the number of places.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) coherent readonly buffer Input { uint data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint sums[]; };
layout(push_constant, std430) uniform Push { WindowParams params; };

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x % params.places;
  uint place = gl_GlobalInvocationID.x % params.places;
  uint sum = 0;
  [[dont_unroll]] for (uint turn = 0; turn < params.turns; turn += params.advance) {
    sum += data[place * params.stride];
    place += step;
    if (place >= params.places) place -= params.places;
  }
  sums[gl_GlobalInvocationID.x] = sum;
}
