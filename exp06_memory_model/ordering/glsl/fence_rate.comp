// Every invocation stores 4 bytes and executes a fence, `steps` times, to words a dispatch's width apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "fence_any.glsl"

// The qualifier stands with the member: glslang drops one that stands with a buffer reference's block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Shared { nonprivate uint at[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  Shared words = Shared(data);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) {
    words.at[i & params.mask] = EXP06_STORED(i & params.mask, step);
    fence_any();
    i += invocation_count();
  }
}
