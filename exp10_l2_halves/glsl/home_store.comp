// What write_u32x4 stores, into the granules of a list: 16 bytes an invocation in one access, coalesced.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/base/words.glsl"
#include "home_tickets.glsl"

layout(set = 0, binding = 0, std430) writeonly buffer Output { uvec4 b[]; };

void store(uint granule) {
  const uint i = granule * EXP10_GRANULE_VECTORS + gl_LocalInvocationID.x;
  b[i] = words_4(i);
}

void take(uvec4 taken) {
  store(taken.x);
  store(taken.y);
  store(taken.z);
  store(taken.w);
}

void main() { take_granules(); }
