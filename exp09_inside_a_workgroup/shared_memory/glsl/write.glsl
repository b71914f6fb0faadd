// Every invocation stores to its elements again and again, 8 stores under way: 8 * sizeof(TYPE) bytes a turn. What is stored to
// an element is its index, whoever stores it.
#include "glsl/stride.glsl"

void main() {
  fill();
  const uint start = first_element(gl_LocalInvocationID.x % 32, params.stride, params.pad);
  [[dont_unroll]] for (uint done = 0; done < params.accesses; done += params.advance) {
    const uint at = start + (done & (EXP09_SHIFTS - 1));
    [[unroll]] for (uint u = 0; u < EXP09_UNROLL; ++u) table[at + u] = TYPE(at + u);
  }
  barrier();
  uint sum = 0;
  for (uint e = gl_LocalInvocationID.x; e < EXP09_TABLE; e += gl_WorkGroupSize.x) sum += fold(table[e]);
  result[gl_GlobalInvocationID.x] = sum;
}
