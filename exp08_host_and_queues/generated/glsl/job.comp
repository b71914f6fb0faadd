// A job's kernel: 4 bytes written a workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"
#include "glsl/run_block.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { JobParams params; };

void main() {
  if (gl_LocalInvocationID.x == 0) run_block(params, gl_WorkGroupID.x);
}
