// Every invocation sums `steps` words, a dispatch's width apart: 4 bytes a load, four loads under way.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "load_any.glsl"

void main() {
  uint sum = 0;
  uint i = gl_GlobalInvocationID.x;
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.advance) {
    uint value[EXP06_UNROLL];
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {
      value[u] = load_any(data, i & params.mask);
      i += invocation_count();
    }
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];
  }
  result.at[gl_GlobalInvocationID.x] = sum;
}
