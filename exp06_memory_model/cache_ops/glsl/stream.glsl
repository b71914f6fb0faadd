// Every invocation sums `stream_words` words, a dispatch's width apart: 4 bytes a load, four loads under way. READ: the
// stream's qualifiers.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
// The qualifiers stand with the member: glslang drops the memory model's where they stand with the block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Stream { READ uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Result { uint at[]; };
layout(push_constant, std430) uniform Push {
  Stream stream;
  Stream unused;
  Result result;
  CacheParams params;
};

void main() {
  uint sum = 0;
  uint i = gl_GlobalInvocationID.x;
  [[dont_unroll]] for (uint n = 0; n < params.stream_words; n += params.advance) {
    uint value[EXP06_UNROLL];
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {
      value[u] = stream.at[i];
      i += gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    }
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];
  }
  result.at[gl_GlobalInvocationID.x] = sum;
}
