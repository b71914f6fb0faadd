// out[lane] = lane, one subgroup; what else is bound stays unread: what binding it costs by itself.
#version 460

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint out_[]; };

void main() { out_[gl_LocalInvocationID.x] = gl_LocalInvocationID.x; }
