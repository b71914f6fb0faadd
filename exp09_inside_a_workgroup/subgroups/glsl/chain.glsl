// One subgroup: each operation needs the one before. Nothing read; 4 bytes written an invocation.
#extension GL_ARB_shader_clock : require
#include "glsl/operation.glsl"

layout(set = 0, binding = 1, std430) writeonly buffer Report { uint report[]; };

void main() RECONVERGES {
  const uint lane = gl_SubgroupInvocationID;
  uint value = first_word(lane, 0, params.seed);
  const uint begin = clock2x32ARB().x;  // modulo 2^32: a carry into the upper half does no harm
  if ((lane & FLOW) == 0) {
    [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.advance) {
      [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) value = operation(value);
    }
  }
  const uint cycles = clock2x32ARB().x - begin;
  result[gl_GlobalInvocationID.x] = value;
  if (gl_GlobalInvocationID.x == 0) report[EXP09_CYCLES] = cycles;
}
