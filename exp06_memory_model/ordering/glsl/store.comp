// One invocation stores a value, loads it back from where it went (relaxed, of the store's scope) and stores its successor: a
// chain by value through memory, 4 bytes stored and 4 loaded a step. The load's address is the store's, and only the dispatch
// knows: the compiler cannot pass the value on in a register.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"
#include "store_any.glsl"

void main() {
  uint value = 0;
  const uint begin = clock();
  [[dont_unroll]] for (uint step = 0; step < params.steps; step += params.advance) {
    store_any(data, 0, value + 1);
    value = load_relaxed(data, params.zero);
  }
  result.at[EXP06_OUT_CYCLES] = clock() - begin;
  result.at[EXP06_OUT_VALUE] = value;
}
