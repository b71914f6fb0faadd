// The kernels with a chosen INDEX: grid-stride loops, one access of TYPE in flight an invocation and turn.
#extension GL_EXT_control_flow_attributes : require
#include "params.h"

layout(local_size_x_id = 0) in;
layout(push_constant, std430) uniform Push { StrideParams params; };

uint sum_of(uint value) { return value; }
uint sum_of(uvec2 value) { return value.x + value.y; }
uint sum_of(uvec4 value) { return value.x + value.y + value.z + value.w; }

uint words_1(uint index) { return incompressible_word(index); }
uvec2 words_2(uint index) { return uvec2(incompressible_word(2 * index), incompressible_word(2 * index + 1)); }
uvec4 words_4(uint index) {
  return uvec4(incompressible_word(4 * index), incompressible_word(4 * index + 1), incompressible_word(4 * index + 2),
               incompressible_word(4 * index + 3));
}
