// y = a * x + y. Each thread reads 4 bytes of x and of y, and writes 4 bytes of y, beside its neighbours'.
#version 460
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) restrict readonly buffer X { float x[]; };
layout(std430, binding = 1) restrict buffer Y { float y[]; };
layout(push_constant, std430) uniform Params {
  uint n;
  float a;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
