// A workgroup stores `vectors` * 16 bytes, then one of its invocations executes a fence while they are on their way, and reads
// the clock before and after; `steps` turns.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "fence_any.glsl"

// The qualifier stands with the member: glslang drops one that stands with a buffer reference's block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { nonprivate uvec4 at[]; };

void main() {
  uint cycles = 0;
  uint first = 0;
  Vectors vectors = Vectors(data);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) {
    [[dont_unroll]] for (uint o = gl_LocalInvocationID.x; o < params.vectors; o += gl_WorkGroupSize.x) {
      const uint vector = (first + o) & params.mask;
      const uint i = vector * 4;
      vectors.at[vector] = uvec4(EXP06_STORED(i, 0), EXP06_STORED(i + 1, 0), EXP06_STORED(i + 2, 0), EXP06_STORED(i + 3, 0));
    }
    first += params.vectors;
    barrier();
    if (gl_LocalInvocationID.x == 0) {
      const uint begin = clock();
      fence_any();
      cycles += clock() - begin;
    }
    barrier();
  }
  if (gl_LocalInvocationID.x == 0) result.at[EXP06_OUT_CYCLES] = cycles;
}
