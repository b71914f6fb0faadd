// Tiles of workgroup x UNROLL elements: all of an invocation's loads are issued before the first is used, and no load of the
// next tile before the last is. Left alone, a compiler issues some and uses those first, to save registers; a branch that all
// of them decide, and that is never taken, leaves it no choice.
#include "sums.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Input { TYPE data[]; };

void main() {
  uint sum = 0;
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    const uint first = tile * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
    TYPE value[UNROLL];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) value[u] = data[first + u * gl_WorkGroupSize.x];
    uint seen = params.none;
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) seen &= word_of(value[u]);
    if (seen != 0) break;
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) sum += sum_of(value[u]);
  }
  store_block_sum(sum);
}
