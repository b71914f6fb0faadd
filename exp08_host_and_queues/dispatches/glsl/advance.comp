// Counts a loop's steps, 8 bytes read and written by one invocation, and makes the arguments of the next step's dispatches.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/decision.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { AdvanceParams params; };
layout(set = 0, binding = 0, std430) buffer State { uint state[]; };

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  const uint done = params.begins != 0 ? 0 : state[EXP08_STATE_DONE] + 1;
  state[EXP08_STATE_DONE] = done;
  if (params.begins != 0) state[EXP08_STATE_ERROR] = 0;
  tell(params.decision, done < params.steps ? params.blocks : 0);
}
