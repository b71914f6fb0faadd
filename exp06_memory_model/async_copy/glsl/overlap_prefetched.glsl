// overlap_staged, with the next tile's loads in flight while the workgroup computes: 64 bytes an invocation, each in a register.
// Includers choose: INPUT, the qualifier of what is read.
#include "glsl/chain.glsl"

shared uvec4 stage[EXP06_BLOCK * EXP06_VECTORS];

void main() {
  const uint first = gl_LocalInvocationID.x;
  uvec4 next[EXP06_VECTORS];
  [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) next[v] = data[gl_WorkGroupID.x * kTileVectors + first + v * EXP06_BLOCK];
  uint sum = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) stage[first + v * EXP06_BLOCK] = next[v];
    barrier();
    const uint ahead = min(tile + gl_NumWorkGroups.x, params.tiles - 1);  // the last turn's loads go unused
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) next[v] = data[ahead * kTileVectors + first + v * EXP06_BLOCK];
    uvec4 value[EXP06_VECTORS];
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = stage[(first ^ 1) + v * EXP06_BLOCK];
    sum += sum_of_chains(value);
    barrier();
  }
  store_block_sum(sum);
}
