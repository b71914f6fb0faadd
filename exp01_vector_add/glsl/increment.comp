// x[t] += 1 by one subgroup's worth of invocations: every dispatch needs the one before it, so a chain of them cannot overlap.
// 128 bytes read, 128 written.
#version 460

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) buffer X { uint x[]; };

void main() { x[gl_LocalInvocationID.x] += 1; }
