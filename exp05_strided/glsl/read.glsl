// Sums what an invocation visits: every word is used, so none is left unread.
#include "stride.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Input { TYPE data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint sums[]; };

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  uint sum = 0;
  [[dont_unroll]] for (uint i = gl_GlobalInvocationID.x; i < params.count; i += step) sum += sum_of(data[INDEX(i, params)]);
  if (gl_GlobalInvocationID.x < params.count) sums[gl_GlobalInvocationID.x] = sum;
}
