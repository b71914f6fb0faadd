// Each workgroup fills WORDS words of shared memory, params.steps, and stores them in reverse: 4 bytes written a word, nothing
// read.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1;
layout(set = 0, binding = 0, std430) writeonly buffer Output { uint b[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };

shared uint words[WORDS];

void main() {
  const uint first = gl_WorkGroupID.x * params.steps;
  for (uint i = gl_LocalInvocationID.x; i < params.steps; i += params.count) words[i] = EXP04_RAMP(first + i);
  barrier();
  for (uint i = gl_LocalInvocationID.x; i < params.steps; i += params.count) b[first + i] = words[params.steps - 1 - i];
}
