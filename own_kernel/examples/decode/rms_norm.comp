// normed = f16(values / rms(values) * weight). One workgroup; an invocation has HIDDEN / 2 / THREADS pairs of values.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "decode.h"
#define PAIRS (HIDDEN / 2 / THREADS)
layout(local_size_x = THREADS) in;
layout(constant_id = 1) const uint SUBGROUP = 32;  // invocations of a subgroup
layout(std430, binding = 0) restrict readonly buffer In { vec2 values[]; };
layout(std430, binding = 1) restrict readonly buffer Weight { uint weight[]; };
layout(std430, binding = 2) restrict writeonly buffer Out { uint normed[]; };
shared float parts[THREADS / 8];  // subgroups of 8 or more

void main() {
  const uint thread = gl_LocalInvocationID.x;
  vec2 x[PAIRS];
  float sum = 0;
  [[unroll]] for (uint i = 0; i < PAIRS; ++i) {
    x[i] = values[i * THREADS + thread];
    sum += x[i].x * x[i].x + x[i].y * x[i].y;
  }
  sum = subgroupAdd(sum);
  if (gl_SubgroupInvocationID == 0) parts[gl_SubgroupID] = sum;
  barrier();
  sum = 0;
  for (uint i = gl_SubgroupInvocationID; i < THREADS / SUBGROUP; i += SUBGROUP) sum += parts[i];
  const float scale = inversesqrt(subgroupAdd(sum) / HIDDEN + 1e-5);
  [[unroll]] for (uint i = 0; i < PAIRS; ++i) {
    const vec2 w = unpackHalf2x16(weight[i * THREADS + thread]);
    normed[i * THREADS + thread] = packHalf2x16(x[i] * scale * w);
  }
}
