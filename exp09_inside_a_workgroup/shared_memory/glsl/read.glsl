// Every invocation reads its elements again and again, 8 reads under way: 8 * sizeof(TYPE) bytes a turn.
#include "glsl/stride.glsl"

void main() {
  fill();
  const uint start = first_element(gl_LocalInvocationID.x % 32, params.stride, params.pad);
  TYPE sum = TYPE(0);
  [[dont_unroll]] for (uint done = 0; done < params.accesses; done += params.advance) {
    const uint at = start + (done & (EXP09_SHIFTS - 1));
    [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) sum += table[at + u];
  }
  result[gl_GlobalInvocationID.x] = fold(sum);
}
