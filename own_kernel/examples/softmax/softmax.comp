// result = softmax of each row. One workgroup per row, three passes over it: the largest, the sum of exponentials, the quotients.
// The first pass reads DRAM, the others mostly cache.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reduced.glsl"
layout(local_size_x = THREADS) in;
layout(std430, set = 0, binding = 0) restrict readonly buffer In { float values[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Out { float result[]; };
layout(std140, set = 1, binding = 0) uniform Shape { int columns; };

void main() {
  const uint begin = gl_WorkGroupID.x * columns;
  float largest = -1.0 / 0.0;
  for (uint i = gl_LocalInvocationID.x; i < columns; i += THREADS) largest = max(largest, values[begin + i]);
  largest = reduced(largest, true);
  float sum = 0;
  for (uint i = gl_LocalInvocationID.x; i < columns; i += THREADS) sum += exp(values[begin + i] - largest);
  sum = reduced(sum, false);
  for (uint i = gl_LocalInvocationID.x; i < columns; i += THREADS) result[begin + i] = exp(values[begin + i] - largest) / sum;
}
