// Every invocation adds 1 to `steps` words, a dispatch's width apart, and uses what it gets: 4 bytes read and 4 written a step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "add_any.glsl"

void main() {
  uint sum = 0;
  uint i = gl_GlobalInvocationID.x;
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += EXP06_UNROLL) {
    uint before[EXP06_UNROLL];
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {
      before[u] = add_any(i & params.mask, 1);
      i += invocation_count();
    }
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) sum += before[u];
  }
  result.at[gl_GlobalInvocationID.x] = sum;
}
