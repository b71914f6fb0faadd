// Both fields of an 8-byte struct, loaded and stored whole: 8 bytes read and 8 written an invocation. In 4-byte accesses, each
// is 8 bytes from the next invocation's; the struct's alignment of 4 promises no wider ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer Data { InnerStruct data[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Result { InnerStruct result[]; };
layout(push_constant, std430) uniform Push { AccessParams params; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    InnerStruct tmp = data[i];
    tmp.x += 10.0f;
    tmp.y += 20.0f;
    result[i] = tmp;
  }
}
