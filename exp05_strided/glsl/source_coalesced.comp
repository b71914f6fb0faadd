// The sum of what an invocation visits in a grid-stride loop, neighbours next to each other: the post's first kernel, as it is.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) restrict readonly buffer Input { float data[]; };
layout(set = 0, binding = 1, std430) restrict writeonly buffer Output { float sums[]; };
layout(push_constant, std430) uniform Push { StrideParams params; };

void main() {
  const int n = int(params.count);
  const int tid = int(gl_GlobalInvocationID.x);
  float acc = 0.0;
  for (int i = tid; i < n; i += int(gl_WorkGroupSize.x * gl_NumWorkGroups.x)) acc += data[i];
  if (tid < n) sums[tid] = acc;
}
