// Load a tile, compute on it, load the next: 64 bytes in flight an invocation, none while it computes.
// Includers choose: INPUT, the qualifier of what is read.
#include "glsl/chain.glsl"

void main() {
  const uint first = gl_LocalInvocationID.x;
  uint sum = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    uvec4 value[EXP06_VECTORS];
    [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = data[tile * kTileVectors + first + v * EXP06_BLOCK];
    sum += sum_of_chains(value);
  }
  store_block_sum(sum);
}
