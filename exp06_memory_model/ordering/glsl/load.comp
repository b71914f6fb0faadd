// One invocation follows `steps` indices through a table, each load needing the one before: 4 bytes a step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "load_any.glsl"

void main() {
  uint node = 0;
  const uint begin = clock();
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) node = load_any(data, node);
  result.at[EXP06_OUT_CYCLES] = clock() - begin;
  result.at[EXP06_OUT_VALUE] = node;
}
