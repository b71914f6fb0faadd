// The computing alone: a workgroup loads its first tile and computes on that in every turn, from shared memory each time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "chain.glsl"

shared uvec4 stage[EXP06_BLOCK * EXP06_VECTORS];

void main() {
  const uint first = gl_LocalInvocationID.x;
  uvec4 value[EXP06_VECTORS];
  [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = data[gl_WorkGroupID.x * kTileVectors + first + v * EXP06_BLOCK];
  [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) stage[first + v * EXP06_BLOCK] = value[v];
  barrier();
  uint sum = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    // Else nothing would be done twice.
    const uint offset = tile & params.none;
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = stage[(first ^ 1) + offset + v * EXP06_BLOCK];
    sum += sum_of_chains(value);
  }
  store_block_sum(sum);
}
