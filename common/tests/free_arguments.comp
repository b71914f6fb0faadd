// A kernel that follows none of the suite's conventions: sets and bindings with gaps, a uniform buffer, one by address,
// constants of other widths, a block of three dimensions. out[i] = scale * in[i] + bias[i % 4] + wide, and the subgroup's size.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x_id = 11, local_size_y_id = 12, local_size_z_id = 13) in;
layout(constant_id = 20) const uint64_t kWide = 1;
layout(constant_id = 21) const bool kNegate = false;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(set = 1, binding = 3, std430) readonly buffer In { uint words[]; } source;
layout(set = 3, binding = 7, std140) uniform Bias { uvec4 values; } bias;
layout(push_constant, std430) uniform Push {
  layout(offset = 4) uint scale;
  layout(offset = 16) Words result;
} push;

void main() {
  const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  const uvec3 at = gl_GlobalInvocationID;
  const uint i = (at.z * size.y + at.y) * size.x + at.x;
  const uint value = push.scale * source.words[i] + bias.values[i % 4] + uint(kWide >> 32);
  push.result.words[2 * i] = kNegate ? ~value : value;
  push.result.words[2 * i + 1] = gl_SubgroupSize;
}
