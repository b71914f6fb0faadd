// The arguments of `count` indirect dispatches of `blocks` workgroups, 16 bytes written each (12 of them arguments).
// No CUDA twin: a CUDA launch takes its grid from the host.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { ArgumentParams params; };
layout(set = 0, binding = 0, std430) writeonly buffer Arguments { uvec4 arguments[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) arguments[i] = uvec4(params.blocks, 1, 1, 0);
}
