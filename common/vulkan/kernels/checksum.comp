#version 460
// Grid-stride read of 4 B per invocation and step, coalesced; two atomic additions per invocation.
// Twin: common/cuda/kernels/checksum.cu.
#extension GL_GOOGLE_include_directive : require
#include "core/base/data_words.h"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { ChecksumParams params; };
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  uint sum_lo = 0;
  uint sum_hi = 0;
  for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) {
    const uint lo = checksum_lo(i, data[i]);
    sum_lo += lo;
    sum_hi += checksum_hi(i, lo);
    if (params.count - i <= stride) break;  // the index may not run over
  }
  atomicAdd(sums[0], sum_lo);
  atomicAdd(sums[1], sum_hi);
}
