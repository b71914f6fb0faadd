// One invocation swaps one word `steps` times for its successor; what it swaps in is what the swap before returned, plus 1: 4
// bytes read and 4 written a step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "orders.glsl"

uint cas_any(uint i, uint value) {
  uint before = 0;
#define RELAXED_CAS(scope) \
  before = atomicCompSwap(data.at[i], value, value + 1, scope, gl_StorageSemanticsNone, gl_SemanticsRelaxed, \
                          gl_StorageSemanticsNone, gl_SemanticsRelaxed)
#define ACQ_REL_CAS(scope) \
  before = atomicCompSwap(data.at[i], value, value + 1, scope, gl_StorageSemanticsBuffer, ACQ_REL, \
                          gl_StorageSemanticsBuffer, ACQUIRE)
  if (ORDER == EXP06_RELAXED) {
    AT_SCOPE(RELAXED_CAS)
  } else {
    AT_SCOPE(ACQ_REL_CAS)
  }
  return before + 1;
}

void main() {
  uint value = data.at[0];
  const uint begin = clock();
  [[dont_unroll]] for (uint step = 0; step < params.steps; ++step) value = cas_any(gl_LocalInvocationID.x, value);
  result.at[EXP06_OUT_CYCLES] = clock() - begin;
  result.at[EXP06_OUT_VALUE] = value;
}
