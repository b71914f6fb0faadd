// y = factor * x. Each invocation reads and writes 16 bytes beside its neighbours'; count is a multiple of 4.
#version 460
layout(local_size_x = 256) in;
layout(std430, binding = 0) restrict readonly buffer X { vec4 x[]; };
layout(std430, binding = 1) restrict writeonly buffer Y { vec4 y[]; };
layout(push_constant, std430) uniform Params {
  float factor;
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (4 * i < count) y[i] = factor * x[i];
}
