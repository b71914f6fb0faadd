// Sums the words of the granules of a list: 16 bytes an invocation in one access, coalesced, four under way. Each invocation
// stores its sum, 4 bytes in all.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "home_tickets.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Input { uvec4 b[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Sums { uint sums[]; };

uint sum = 0;

uvec4 load(uint granule) { return b[granule * EXP10_GRANULE_VECTORS + gl_LocalInvocationID.x]; }

void take(uvec4 taken) {
  const uvec4 x = load(taken.x);
  const uvec4 y = load(taken.y);
  const uvec4 z = load(taken.z);
  const uvec4 w = load(taken.w);
  sum += x.x + x.y + x.z + x.w + y.x + y.y + y.z + y.w + z.x + z.y + z.z + z.w + w.x + w.y + w.z + w.w;
}

void main() {
  take_granules();
  sums[gl_GlobalInvocationID.x] = sum;
}
