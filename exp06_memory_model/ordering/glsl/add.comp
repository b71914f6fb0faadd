// One invocation adds to one word `steps` times, each time what the addition before returned: 4 bytes read and 4 written a
// step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "add_any.glsl"

void main() {
  uint value = 1;
  const uint begin = clock();
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) value = add_any(gl_LocalInvocationID.x, value);
  result.at[EXP06_OUT_CYCLES] = clock() - begin;
  result.at[EXP06_OUT_VALUE] = value;
}
