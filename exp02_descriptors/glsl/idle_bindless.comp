// idle.comp, its output found in an array of buffers by an index.
#version 460
#extension GL_EXT_nonuniform_qualifier : require

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint out_[]; } buffers[];
layout(push_constant, std430) uniform Push { uint out_index; };

void main() { buffers[out_index].out_[gl_LocalInvocationID.x] = gl_LocalInvocationID.x; }
