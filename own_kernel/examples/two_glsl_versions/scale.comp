// y = factor * x. Each invocation reads and writes 4 bytes beside its neighbours'.
#version 460
layout(local_size_x = 256) in;
layout(std430, binding = 0) restrict readonly buffer X { float x[]; };
layout(std430, binding = 1) restrict writeonly buffer Y { float y[]; };
layout(push_constant, std430) uniform Params {
  float factor;
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = factor * x[i];
}
