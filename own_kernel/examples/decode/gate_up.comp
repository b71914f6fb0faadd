// hidden = f16(silu(gate * in) * (up * in)): the gate's FFN rows of weights stand before those of up. A subgroup makes two values.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "decode.h"
#include "dot8.glsl"
layout(local_size_x_id = 0) in;  // ROWS subgroups
layout(constant_id = 1) const uint SUBGROUP = 32;  // invocations of a subgroup
layout(std430, binding = 0) restrict readonly buffer Weights { uvec4 weights[]; };
layout(std430, binding = 1) restrict readonly buffer In { uvec4 values[]; };
layout(std430, binding = 2) restrict writeonly buffer Hidden { uint activated[]; };

void main() {
  const uint pair = gl_WorkGroupID.x * ROWS + gl_SubgroupID;
  vec2 value;
  [[unroll]] for (uint k = 0; k < 2; ++k) {
    const uint row = 2 * pair + k;
    float gate = 0;
    float up = 0;
    [[unroll]] for (uint j = 0; j < HIDDEN / 8 / SUBGROUP; ++j) {
      const uint i = j * SUBGROUP + gl_SubgroupInvocationID;
      const uvec4 x = values[i];
      gate = dot8(weights[row * (HIDDEN / 8) + i], x, gate);
      up = dot8(weights[(FFN + row) * (HIDDEN / 8) + i], x, up);
    }
    gate = subgroupAdd(gate);
    up = subgroupAdd(up);
    value[k] = gate / (1.0 + exp(-gate)) * up;
  }
  if (gl_SubgroupInvocationID == 0) activated[pair] = packHalf2x16(value);
}
