// Turns the pairs of queries and keys by the position's angles, and puts key and value at the cache's end. An invocation per pair.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "decode.h"
#define PAIRS (HEAD_DIM / 2)
layout(local_size_x = 256) in;
layout(std430, binding = 0) restrict readonly buffer Turns { vec2 turns[]; };  // cosine and sine
layout(std430, binding = 1) restrict buffer Qkv { vec2 qkv[]; };
layout(std430, binding = 2) restrict writeonly buffer Keys { uint keys[]; };
layout(std430, binding = 3) restrict writeonly buffer Values { uint values[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint head = i / PAIRS;
  const uint pair = i % PAIRS;
  const vec2 x = qkv[i];
  const vec2 turn = turns[pair];
  const vec2 turned = vec2(x.x * turn.x - x.y * turn.y, x.x * turn.y + x.y * turn.x);
  if (head < HEADS) {
    qkv[i] = turned;
  } else if (head < HEADS + KV_HEADS) {
    keys[((head - HEADS) * CONTEXT + CONTEXT - 1) * PAIRS + pair] = packHalf2x16(turned);
  } else {
    values[((head - HEADS - KV_HEADS) * CONTEXT + CONTEXT - 1) * PAIRS + pair] = packHalf2x16(x);
  }
}
