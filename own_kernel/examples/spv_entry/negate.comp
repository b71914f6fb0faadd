// result = ~values, as the entry point "negate" of copies.spv. Each thread reads 4 bytes and writes 4, beside its neighbours'.
#version 460
layout(local_size_x = 128) in;
layout(std430, binding = 0) restrict readonly buffer Values { uint values[]; };
layout(std430, binding = 1) restrict writeonly buffer Result { uint result[]; };
layout(push_constant, std430) uniform Params { uint n; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < n) result[i] = ~values[i];
}
