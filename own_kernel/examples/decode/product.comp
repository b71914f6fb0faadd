// result = weights * in (+ residual). SPLIT subgroups per row of COLUMNS f16 weights, 8 of them with each 16-byte load.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "decode.h"
#include "dot8.glsl"
layout(local_size_x_id = 0) in;  // ROWS subgroups
layout(constant_id = 1) const uint SUBGROUP = 32;  // invocations of a subgroup
layout(std430, binding = 0) restrict readonly buffer Weights { uvec4 weights[]; };
layout(std430, binding = 1) restrict readonly buffer In { uvec4 values[]; };
#ifdef RESIDUAL
layout(std430, binding = 2) restrict readonly buffer Residual { float residual[]; };
#endif
layout(std430, binding = 3) restrict writeonly buffer Result { float result[]; };
#if SPLIT > 1
shared float parts[ROWS];
#endif

void main() {
  const uint subgroup = gl_SubgroupID;
  const uint row = gl_WorkGroupID.x * (ROWS / SPLIT) + subgroup / SPLIT;
  const uint first = subgroup % SPLIT * (COLUMNS / 8 / SPLIT);
  float sum = 0;
  [[unroll]] for (uint k = 0; k < COLUMNS / 8 / SPLIT / SUBGROUP; ++k) {
    const uint i = first + k * SUBGROUP + gl_SubgroupInvocationID;
    sum = dot8(weights[row * (COLUMNS / 8) + i], values[i], sum);
  }
  sum = subgroupAdd(sum);
#if SPLIT > 1
  if (gl_SubgroupInvocationID == 0) parts[subgroup] = sum;
  barrier();
  sum = 0;
  [[unroll]] for (uint i = 0; i < SPLIT; ++i) sum += parts[subgroup / SPLIT * SPLIT + i];
#endif
  if (gl_SubgroupInvocationID != 0 || subgroup % SPLIT != 0) return;
#ifdef RESIDUAL
  sum += residual[row];
#endif
  result[row] = sum;
}
