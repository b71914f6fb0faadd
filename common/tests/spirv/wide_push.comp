// Push constants with a matrix, an array that a specialization constant sizes, a nested struct and addresses.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint kCount = 5;

layout(buffer_reference) buffer Node;
layout(buffer_reference, std430) buffer Node {  // holds its own address
  float value;
  Node next;
};
struct Inner {
  int a;
  vec2 b;
};
layout(push_constant, std430) uniform Push {
  Node list;
  uint64_t other;
  mat4 turn;
  layout(row_major) mat3x2 flat_one;
  Inner inner;
  float weights[kCount];
} push;
layout(std430, set = 0, binding = 1) buffer Out { uint head[4]; float values[]; } sums[3];
layout(std140, set = 2, binding = 0) uniform Few { vec4 one; } few;

void main() {
  sums[1].values[0] = push.list.next.value + push.turn[1].x + push.flat_one[0].y + float(push.inner.a) + push.weights[2] + few.one.x + float(push.other);
}
