// Every invocation stores to `steps` words, a dispatch's width apart: 4 bytes a store.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "store_any.glsl"

void main() {
  uint i = gl_GlobalInvocationID.x;
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.advance) {
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {
      store_any(data, i & params.mask, EXP06_STORED(i & params.mask, step + u));
      i += invocation_count();
    }
  }
}
