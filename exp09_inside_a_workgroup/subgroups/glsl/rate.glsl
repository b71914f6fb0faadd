// A full GPU: four chains an invocation. Nothing read; 4 bytes written an invocation.
#include "glsl/operation.glsl"

void main() RECONVERGES {
  const uint lane = gl_SubgroupInvocationID;
  uint values[EXP09_CHAINS];
  [[unroll]] for (uint chain = 0; chain < EXP09_CHAINS; ++chain) values[chain] = first_word(lane, chain, params.seed);
  if ((lane & FLOW) == 0) {
    [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.advance) {
      [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) {
        [[unroll]] for (uint chain = 0; chain < EXP09_CHAINS; ++chain) values[chain] = operation(values[chain]);
      }
    }
  }
  uint sum = 0;
  [[unroll]] for (uint chain = 0; chain < EXP09_CHAINS; ++chain) sum += (chain + 1) * values[chain];
  result[gl_GlobalInvocationID.x] = sum;
}
