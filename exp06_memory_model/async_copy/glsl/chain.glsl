// What every overlap_ kernel computes: a chain on each of an invocation's 16 words, side by side, then their sum.
#include "exp06_memory_model/glsl/sums.glsl"
#include "params.h"

#ifndef INPUT
#define INPUT readonly
#endif
layout(set = 0, binding = 0, std430) INPUT buffer Input { uvec4 data[]; };
layout(push_constant, std430) uniform Push { OverlapParams params; };

const uint kTileVectors = EXP06_BLOCK * EXP06_VECTORS;

uint sum_of_chains(uvec4 value[EXP06_VECTORS]) {
  [[dont_unroll]] for (uint turn = 0; turn < params.turns; ++turn) {
    [[unroll]] for (uint i = 0; i < EXP06_STEPS_A_TURN; ++i) {
      [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) value[v] = EXP06_CHAINED(value[v]);
    }
  }
  uint sum = 0;
  [[unroll]] for (uint v = 0; v < EXP06_VECTORS; ++v) sum += sum_of(value[v]);
  return sum;
}
