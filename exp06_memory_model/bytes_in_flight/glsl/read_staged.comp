// Everything read once, through registers into shared memory, where an invocation sums what its neighbour brought. The next
// tile's loads are in flight while this one is summed: 16 * UNROLL bytes an invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sums.glsl"

layout(constant_id = 2) const uint STAGE_VECTORS = 2;
layout(set = 0, binding = 0, std430) readonly buffer Input { uvec4 data[]; };

shared uvec4 stage[STAGE_VECTORS];  // two tiles: one barrier a turn keeps the next turn's writes off this turn's reads

void main() {
  const uint first = gl_LocalInvocationID.x;
  const uint vectors = gl_WorkGroupSize.x * UNROLL;
  uvec4 value[UNROLL];
  [[unroll]] for (uint u = 0; u < UNROLL; ++u)
    value[u] = data[gl_WorkGroupID.x * vectors + first + u * gl_WorkGroupSize.x];
  uint sum = 0;
  uint offset = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x, offset ^= vectors) {
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) stage[offset + first + u * gl_WorkGroupSize.x] = value[u];
    barrier();
    const uint next = min(tile + gl_NumWorkGroups.x, params.tiles - 1);  // the last turn's loads go unused
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) value[u] = data[next * vectors + first + u * gl_WorkGroupSize.x];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) sum += sum_of(stage[offset + (first ^ 1) + u * gl_WorkGroupSize.x]);
  }
  store_block_sum(sum);
}
