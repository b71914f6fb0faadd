// What an invocation reads is summed up as words, and every workgroup stores its sum: exact in any order. The last sum is not
// unrolled: the registers of a kernel are to be those of its loads.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 1, std430) writeonly buffer Sums { uint sums[]; };

shared uint partial[256];  // one word a subgroup: 1024 invocations in subgroups of at least 4

uint sum_of(uint value) { return value; }
uint sum_of(uvec2 value) { return value.x + value.y; }
uint sum_of(uvec4 value) { return value.x + value.y + value.z + value.w; }

uint word_of(uint value) { return value; }
uint word_of(uvec2 value) { return value.x; }
uint word_of(uvec4 value) { return value.x; }

void store_block_sum(uint sum) {
  sum = subgroupAdd(sum);
  if (subgroupElect()) partial[gl_SubgroupID] = sum;
  barrier();
  if (gl_LocalInvocationID.x == 0) {
    uint total = 0;
    [[dont_unroll]] for (uint subgroup = 0; subgroup < gl_NumSubgroups; ++subgroup) total += partial[subgroup];
    sums[gl_WorkGroupID.x] = total;
  }
}
