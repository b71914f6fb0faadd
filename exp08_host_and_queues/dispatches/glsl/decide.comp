// Clears the words of the next work's workgroups, 4 bytes written a workgroup, and makes the arguments of its dispatch: none of
// them, or all.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/decision.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { DecideParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Tags { uint tags[]; };

void main() {
  for (uint i = gl_LocalInvocationID.x; i < params.blocks; i += gl_WorkGroupSize.x) tags[params.first + i] = EXP08_NOT_RUN;
  if (gl_LocalInvocationID.x == 0) tell(params.decision, params.runs != 0 ? params.blocks : 0);
}
