// Every invocation stores 4 bytes and executes a fence, `steps` times, to words a dispatch's width apart.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "fence_any.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) nonprivate buffer Shared { uint at[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  Shared words = Shared(data);
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) {
    words.at[i & params.mask] = EXP06_STORED(i & params.mask, step);
    fence_any();
    i += invocation_count();
  }
}
