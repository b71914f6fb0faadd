// Every invocation stores to `stream_words` words, a dispatch's width apart: 4 bytes a store. WRITE: the buffer's qualifiers.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
// The qualifiers stand with the member: glslang drops the memory model's where they stand with the block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Stream { WRITE uint at[]; };
layout(push_constant, std430) uniform Push {
  Stream stream;
  CacheParams params;
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  [[dont_unroll]] for (uint n = 0; n < params.stream_words; n += params.advance) {
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {
      stream.at[i] = EXP06_FILLED(i);
      i += gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    }
  }
}
