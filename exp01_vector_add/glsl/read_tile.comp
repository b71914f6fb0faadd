// XOR of each tile of workgroup x UNROLL 16-byte vectors, one word a workgroup stored: 16 * UNROLL bytes read an invocation. Its
// loads need nothing of each other. XOR is exact in any order, so the result can be checked bit for bit.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 1;
layout(set = 0, binding = 0, std430) readonly buffer A { uvec4 a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { uint sums[]; };
layout(push_constant, std430) uniform Push { CountParams params; };

shared uint partial[256];  // one word a subgroup: 1024 invocations in subgroups of at least 4

void main() {
  const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
  uvec4 value[UNROLL];
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) {
    const uint i = first + u * gl_WorkGroupSize.x;
    value[u] = i < params.count ? a[i] : uvec4(0);
  }
  uint sum = 0;
  [[unroll]] for (uint u = 0; u < UNROLL; ++u) sum ^= value[u].x ^ value[u].y ^ value[u].z ^ value[u].w;
  sum = subgroupXor(sum);
  if (subgroupElect()) partial[gl_SubgroupID] = sum;
  barrier();
  if (gl_LocalInvocationID.x == 0) {
    uint total = 0;
    for (uint subgroup = 0; subgroup < gl_NumSubgroups; ++subgroup) total ^= partial[subgroup];
    sums[gl_WorkGroupID.x] = total;
  }
}
