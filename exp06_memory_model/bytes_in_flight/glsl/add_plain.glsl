// c = a + b in tiles of workgroup elements: both of an invocation's loads are issued before either is used.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) readonly buffer A { TYPE a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { TYPE b[]; };
layout(set = 0, binding = 2, std430) writeonly buffer C { TYPE c[]; };
layout(push_constant, std430) uniform Push { TileParams params; };

void main() {
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    const uint i = tile * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    c[i] = a[i] + b[i];
  }
}
