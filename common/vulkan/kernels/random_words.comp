#version 460
// Grid-stride store of 4 B per invocation and step, coalesced: the words of a random stream.
// Twin: common/cuda/kernels/random_words.cu.
#extension GL_GOOGLE_include_directive : require
#include "core/base/data_words.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { RandomWordsParams params; };
layout(set = 0, binding = 0) writeonly buffer Data { uint data[]; };

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) {
    const uint index = params.first + i;
    data[index] = input_word(random_word(index, params.key_lo, params.key_hi));
    if (params.count - i <= stride) break;  // the index may not run over
  }
}
