// Attention's parts as one: the splits' sums, weighted by exp(their largest score - the largest of all), over the sum of weights.
// An invocation per pair of values.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "decode.h"
#define PAIRS (HEAD_DIM / 2)
layout(local_size_x = 128) in;
layout(std430, binding = 0) restrict readonly buffer Sums { vec2 sums[]; };
layout(std430, binding = 1) restrict readonly buffer Weights { vec2 weights[]; };
layout(std430, binding = 2) restrict writeonly buffer Attended { uint attended[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = i / PAIRS * SPLITS;
  const uint pair = i % PAIRS;
  float largest = weights[first].x;
  [[unroll]] for (uint split = 1; split < SPLITS; ++split) largest = max(largest, weights[first + split].x);
  vec2 sum = vec2(0);
  float weight = 0;
  [[unroll]] for (uint split = 0; split < SPLITS; ++split) {
    const vec2 one = weights[first + split];
    const float scale = exp(one.x - largest);
    sum += scale * sums[(first + split) * PAIRS + pair];
    weight += scale * one.y;
  }
  attended[i] = packHalf2x16(sum / weight);
}
