// Each round a workgroup reads the next piece of a stream with the qualifiers READ, then a part of the reuse set, whose loads
// promise that nothing writes it, and reads the clock before and after that part: 4 bytes a load, four loads under way.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
// The qualifiers stand with the member: glslang drops the memory model's where they stand with the block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Stream { READ uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) restrict readonly buffer Set { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Result { uint at[]; };
layout(push_constant, std430) uniform Push {
  Stream stream;
  Set set;
  Result result;
  CacheParams params;
};

// Sums `count` words from the block's `first` on. The last argument: which words there are.
#define SUM_OF(words, first, count, mask)                                                              \
  i = (first) + gl_LocalInvocationID.x;                                                                \
  [[dont_unroll]] for (uint n = 0; n < (count); n += params.advance) {                                 \
    uint value[EXP06_UNROLL];                                                                          \
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) {                                               \
      value[u] = words.at[i & (mask)];                                                                 \
      i += gl_WorkGroupSize.x;                                                                         \
    }                                                                                                  \
    [[unroll]] for (uint u = 0; u < EXP06_UNROLL; ++u) sum += value[u];                                \
  }

// The first round, in which nothing can be found again, is not in the cycles.
void main() {
  const uint block = gl_WorkGroupID.x;
  const uint blocks = gl_NumWorkGroups.x;
  uint sum = 0;
  uint cycles = 0;
  uint i;
  [[dont_unroll]] for (uint round = 0; round < params.rounds; ++round) {
    SUM_OF(stream, EXP06_STREAM_AT(block, blocks, round, params), params.stream_words, params.stream_mask)
    barrier();
    const uint begin = clock2x32ARB().x;
    SUM_OF(set, EXP06_PART(block, blocks, round, params) * params.reuse_words, params.reuse_words, ~0U)
    barrier();
    if (round > 0) cycles += clock2x32ARB().x - begin;
  }
  result.at[gl_GlobalInvocationID.x] = sum;
  if (gl_LocalInvocationID.x == 0) result.at[blocks * gl_WorkGroupSize.x + block] = cycles;
}
