// Load a tile through registers into shared memory, wait for all invocations, compute on it, wait again: nothing is in flight
// while the workgroup computes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "chain.glsl"

shared uvec4 stage[EXP06_BLOCK * EXP06_VECTORS];

void main() {
  const uint first = gl_LocalInvocationID.x;
  uint sum = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    uvec4 value[EXP06_VECTORS];
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = data[tile * kTileVectors + first + v * EXP06_BLOCK];
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) stage[first + v * EXP06_BLOCK] = value[v];
    barrier();
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = stage[(first ^ 1) + v * EXP06_BLOCK];
    sum += sum_of_chains(value);
    barrier();
  }
  store_block_sum(sum);
}
