// One subgroup's worth of invocations reads the row before and writes the next one: 128 bytes read, 128 written. A link that ran
// too early shows in all after.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { LinkParams params; };
layout(set = 0, binding = 0, std430) buffer Rows { uint rows[]; };

void main() {
  const uint lane = gl_LocalInvocationID.x;
  uint x = params.from == EXP08_SEED ? EXP08_START(lane) : rows[params.from * EXP08_LANES + lane];
  for (uint turn = 0; turn < params.turns; ++turn) x = EXP08_STEP(x);
  rows[params.to * EXP08_LANES + lane] = x;
}
