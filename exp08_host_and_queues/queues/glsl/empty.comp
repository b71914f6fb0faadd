// Nothing, by as many invocations as a copy has: what starting and ending workgroups costs.
#version 460

layout(local_size_x_id = 0) in;

void main() {}
