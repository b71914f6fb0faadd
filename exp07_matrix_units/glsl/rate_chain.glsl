// The rate of an arithmetic instruction on numbers of TYPE: EXP07_CHAINS chains an invocation, each step of a chain needing the
// one before. STEP(x) is the step; m and c come from memory, so that no compiler knows them. With PAIRS two chains take turns, each
// adding the dot product of m and the other (krrishnarraj/clpeak's compute_int8_dp_v1.comp): three operands, no two of them the same.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "params.h"
#ifdef DOT
#include "dot.glsl"
#define STEP(x) DOT(x, m, x)
#else
#define STEP(x) fma(x, m, c)
#endif

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Factors { TYPE at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Results { TYPE at[]; };
layout(push_constant, std430) uniform Push {
  Factors factors;
  Results results;
  RateParams params;
};

void main() {
  const TYPE m = factors.at[0];
  const TYPE c = factors.at[1];
  TYPE x[EXP07_CHAINS];
  [[unroll]] for (uint i = 0; i < EXP07_CHAINS; ++i) x[i] = TYPE(gl_LocalInvocationID.x % 32 + 32 * i);
  [[dont_unroll]] for (uint turn = 0; turn < params.iterations; ++turn) {
    [[unroll]] for (uint step = 0; step < EXP07_STEPS_A_TURN; ++step) {
#ifdef PAIRS
      [[unroll]] for (uint i = 0; i < EXP07_CHAINS; i += 2) {
        x[i] = DOT(x[i + 1], m, x[i]);
        x[i + 1] = DOT(x[i], m, x[i + 1]);
      }
#else
      [[unroll]] for (uint i = 0; i < EXP07_CHAINS; ++i) x[i] = STEP(x[i]);
#endif
    }
  }
  TYPE sum = x[0];
  [[unroll]] for (uint i = 1; i < EXP07_CHAINS; ++i) sum += x[i];
  results.at[gl_GlobalInvocationID.x] = sum;
}
