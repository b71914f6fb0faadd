// idle.comp, its output found by its address.
#version 460
#extension GL_EXT_buffer_reference : require

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Out { uint out_[]; };
layout(push_constant, std430) uniform Push { Out destination; };

void main() { destination.out_[gl_LocalInvocationID.x] = gl_LocalInvocationID.x; }
