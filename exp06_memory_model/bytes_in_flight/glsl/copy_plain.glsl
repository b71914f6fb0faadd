// b = a in tiles of workgroup x UNROLL elements: all of an invocation's loads are issued before its first store.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint UNROLL = 1;
layout(set = 0, binding = 0, std430) readonly buffer A { TYPE a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer B { TYPE b[]; };
layout(push_constant, std430) uniform Push { TileParams params; };

void main() {
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    const uint first = tile * gl_WorkGroupSize.x * UNROLL + gl_LocalInvocationID.x;
    TYPE value[UNROLL];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) value[u] = a[first + u * gl_WorkGroupSize.x];
    [[unroll]] for (uint u = 0; u < UNROLL; ++u) b[first + u * gl_WorkGroupSize.x] = value[u];
  }
}
