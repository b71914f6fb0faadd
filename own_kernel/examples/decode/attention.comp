// Attention of one token over a part of the cache. A workgroup has the four queries that share a key and value head, a subgroup
// each; it takes CONTEXT / SPLITS tokens. Eight invocations read a token's 64 values, 16 bytes each. For combine: the sum of
// values weighted by exp(score - largest), and the largest score and the sum of weights.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_control_flow_attributes : require
#include "decode.h"
#define TOKENS (CONTEXT / SPLITS)
#define PARTS (HEAD_DIM / 8)                       // invocations per token
#define AHEAD 8                                    // loads in flight
layout(local_size_x_id = 0) in;                    // ROWS subgroups of 8 or more
layout(constant_id = 1) const uint SUBGROUP = 32;  // invocations of a subgroup
layout(std430, binding = 0) restrict readonly buffer Qkv { vec4 qkv[]; };
layout(std430, binding = 1) restrict readonly buffer Keys { uvec4 keys[]; };
layout(std430, binding = 2) restrict readonly buffer Values { uvec4 values[]; };
layout(std430, binding = 3) restrict writeonly buffer Sums { vec4 sums[]; };
layout(std430, binding = 4) restrict writeonly buffer Weights { vec2 weights[]; };
shared float scores[ROWS][TOKENS];

void unpack8(uvec4 from, out float to[8]) {
  const vec2 a = unpackHalf2x16(from.x), b = unpackHalf2x16(from.y), c = unpackHalf2x16(from.z), d = unpackHalf2x16(from.w);
  to = float[8](a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y);
}

void main() {
  const uint subgroup = gl_SubgroupID;
  const uint lane = gl_SubgroupInvocationID;
  const uint part = lane % PARTS;
  const uint head = gl_WorkGroupID.y * ROWS + subgroup;
  const uint first = (gl_WorkGroupID.y * CONTEXT + gl_WorkGroupID.x * TOKENS) * PARTS + part;
  const vec4 q0 = qkv[(head * PARTS + part) * 2];
  const vec4 q1 = qkv[(head * PARTS + part) * 2 + 1];
  const float q[8] = float[8](q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w);
  for (uint begin = lane / PARTS; begin < TOKENS; begin += AHEAD * (SUBGROUP / PARTS)) {
    [[unroll]] for (uint j = 0; j < AHEAD; ++j) {
      const uint token = begin + j * (SUBGROUP / PARTS);
      float k[8];
      unpack8(keys[first + token * PARTS], k);
      float score = 0;
      [[unroll]] for (uint i = 0; i < 8; ++i) score += q[i] * k[i];
      [[unroll]] for (uint distance = PARTS / 2; distance > 0; distance /= 2) score += subgroupShuffleXor(score, distance);
      if (part == 0) scores[subgroup][token] = score * 0.125;  // 1 / sqrt(HEAD_DIM)
    }
  }
  subgroupBarrier();
  float largest = scores[subgroup][lane];
  [[unroll]] for (uint token = lane + SUBGROUP; token < TOKENS; token += SUBGROUP) {
    largest = max(largest, scores[subgroup][token]);
  }
  largest = subgroupMax(largest);
  float weight = 0;
  [[unroll]] for (uint token = lane; token < TOKENS; token += SUBGROUP) {
    const float one = exp(scores[subgroup][token] - largest);
    scores[subgroup][token] = one;
    weight += one;
  }
  weight = subgroupAdd(weight);
  subgroupBarrier();
  float sum[8] = float[8](0, 0, 0, 0, 0, 0, 0, 0);
  for (uint begin = lane / PARTS; begin < TOKENS; begin += AHEAD * (SUBGROUP / PARTS)) {
    [[unroll]] for (uint j = 0; j < AHEAD; ++j) {
      const uint token = begin + j * (SUBGROUP / PARTS);
      float v[8];
      unpack8(values[first + token * PARTS], v);
      const float one = scores[subgroup][token];
      [[unroll]] for (uint i = 0; i < 8; ++i) sum[i] += one * v[i];
    }
  }
  [[unroll]] for (uint i = 0; i < 8; ++i) {
    for (uint distance = PARTS; distance < SUBGROUP; distance *= 2) sum[i] += subgroupShuffleXor(sum[i], distance);
  }
  const uint place = head * SPLITS + gl_WorkGroupID.x;
  if (lane < PARTS) {
    sums[(place * PARTS + part) * 2] = vec4(sum[0], sum[1], sum[2], sum[3]);
    sums[(place * PARTS + part) * 2 + 1] = vec4(sum[4], sum[5], sum[6], sum[7]);
  }
  if (lane == 0) weights[place] = vec2(largest, weight);
}
