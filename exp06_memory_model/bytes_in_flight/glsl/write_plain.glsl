// Word i of the output becomes incompressible_word(i), in tiles of workgroup elements: nothing read, one store an invocation
// and tile.
#extension GL_EXT_control_flow_attributes : require
#include "core/base/words.glsl"
#include "params.h"

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0, std430) writeonly buffer Output { TYPE data[]; };
layout(push_constant, std430) uniform Push { TileParams params; };

void main() {
  [[dont_unroll]] for (uint tile = gl_WorkGroupID.x; tile < params.tiles; tile += gl_NumWorkGroups.x) {
    const uint index = tile * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    data[index] = WORDS(index);
  }
}
