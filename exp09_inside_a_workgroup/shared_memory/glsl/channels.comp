// A convolution of one pixel and 128 channels a workgroup, after a forum's kernel (see DESIGN.md): every invocation reads one
// input word, 64 of the workgroup's by broadcasts from shared memory, and 64 weights: 32 KiB for all. 4 bytes written by half of
// them.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WEIGHTS = EXP09_ROWS;
layout(set = 0, binding = 0, std430) readonly buffer Pixels { float pixels[]; };
layout(set = 0, binding = 1, std430) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Result { float result[]; };
layout(push_constant, std430) uniform Push { ChannelParams params; };

shared float cache[EXP09_CHANNELS];
shared float weight_cache[EXP09_CHANNELS];
shared float sums[EXP09_CHANNELS];

void main() {
  const uint thread = gl_LocalInvocationID.x;
  const uint pixel = gl_WorkGroupID.z * params.width + gl_WorkGroupID.y;
  cache[thread] = pixels[thread * params.slice + pixel];
  weight_cache[thread] = weights[thread];
  barrier();
  const uint begin = thread / EXP09_HALF * EXP09_HALF;
  const uint row = thread - begin;
  float sum = 0;
  [[unroll]] for (uint k = 0; k < EXP09_HALF; ++k) {
    const uint channel = begin + k;
    const float weight = WEIGHTS == EXP09_ROWS      ? weights[row * EXP09_CHANNELS + channel]
                         : WEIGHTS == EXP09_COLUMNS ? weights[channel * EXP09_HALF + row]
                                                    : weight_cache[channel];
    sum += cache[channel] * weight;
  }
  sums[thread] = sum;
  barrier();
  if (thread < EXP09_HALF) result[thread * params.slice + pixel] = sums[thread] + sums[thread + EXP09_HALF];
}
