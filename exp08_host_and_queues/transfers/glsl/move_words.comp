// to[i] = from[i], one of the two in the host's memory: 16 bytes read an invocation, 16 written; the last one's words one by one.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer From4 { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer To4 { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer From { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer To { uint at[]; };
layout(push_constant, std430) uniform Push {
  From4 from;
  To4 to;
  MoveParams params;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const uint first = i * EXP08_MOVE_WORDS;
  if (first + EXP08_MOVE_WORDS <= params.words) {
    to.at[i] = from.at[i];
  } else {
    for (uint k = first; k < params.words; ++k) To(to).at[k] = From(from).at[k];
  }
}
