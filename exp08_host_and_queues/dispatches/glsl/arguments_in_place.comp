// The arguments of `count` indirect dispatches of `blocks` workgroups where the dispatches read them, 16 bytes written each (12 of
// them arguments). No CUDA twin: a CUDA launch takes its grid from the host.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { InPlaceParams params; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Arguments { uvec4 at[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) Arguments(uvec2(params.low, params.high)).at[i] = uvec4(params.blocks, 1, 1, 0);
}
