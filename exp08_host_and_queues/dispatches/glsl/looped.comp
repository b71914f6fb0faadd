// A loop's body: one invocation a workgroup says which step and block it was, 4 bytes read and written a workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { LoopedParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Tags { uint tags[]; };
layout(set = 0, binding = 1, std430) readonly buffer State { uint state[]; };

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint block = state[EXP08_STATE_DONE] * params.blocks + gl_WorkGroupID.x;
  tags[block] = EXP08_TAG(block);
}
