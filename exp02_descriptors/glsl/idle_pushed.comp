// idle.comp, but what it stores has a push constant in it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint out_[]; };
layout(push_constant) uniform Push { PushedParams params; };

void main() { out_[gl_LocalInvocationID.x] = gl_LocalInvocationID.x + params.more; }
