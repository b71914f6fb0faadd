// The kernels with a chosen INDEX: grid-stride loops, one access of TYPE in flight an invocation and turn.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant, std430) uniform Push { StrideParams params; };

uint sum_of(uint value) { return value; }
uint sum_of(uvec2 value) { return value.x + value.y; }
uint sum_of(uvec4 value) { return value.x + value.y + value.z + value.w; }
