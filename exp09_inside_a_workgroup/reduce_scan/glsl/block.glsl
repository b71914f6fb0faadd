// What every kernel here builds on: the buffers behind addresses, a tile's vectors, and sums over a workgroup: through a tree
// in shared memory with TREE, else by subgroup operations.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#pragma use_vulkan_memory_model
#include "params.h"

layout(local_size_x_id = 0) in;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vectors { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Results { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
// The qualifier stands with the member: glslang drops one that stands with a buffer reference's block (its issue 3386).
layout(buffer_reference, std430, buffer_reference_align = 4) buffer State { nonprivate uint at[]; };
layout(push_constant, std430) uniform Push {
  Vectors words;
  Words result;
  State state;
  ScanParams params;
};

uint sum_of(uvec4 v) { return v.x + v.y + v.z + v.w; }

uint thread() { return gl_LocalInvocationIndex; }

#ifdef TREE
shared uvec4 rows[2][EXP09_BLOCK];
shared uint sums[EXP09_BLOCK];

// The thread's vector of a row: a row is as wide as the workgroup.
uint place(uint row) { return row * EXP09_BLOCK + thread(); }

uint block_sum(uint own) {
  sums[thread()] = own;
  barrier();
  [[unroll]] for (uint width = EXP09_BLOCK / 2; width > 0; width /= 2) {
    if (thread() < width) sums[thread()] += sums[thread() + width];
    barrier();
  }
  return sums[0];
}

// Of each of the thread's vectors: what stands before it in the tile. `own` has the vectors' sums, a row each.
uvec4 block_exclusive(uvec4 own, out uint total) {
  uvec4 upto = own;
  rows[0][thread()] = own;
  barrier();
  uint from = 0;
  [[unroll]] for (uint step = 1; step < EXP09_BLOCK; step *= 2) {
    if (thread() >= step) upto += rows[from][thread() - step];
    from ^= 1;
    rows[from][thread()] = upto;
    barrier();
  }
  const uvec4 row_sums = rows[from][EXP09_BLOCK - 1];
  total = sum_of(row_sums);
  return upto - own + uvec4(0, row_sums.x, row_sums.x + row_sums.y, row_sums.x + row_sums.y + row_sums.z);
}
#else
shared uint sums[EXP09_BLOCK];  // one a subgroup

// A row is as wide as the subgroup, and a subgroup's rows stand side by side.
uint place(uint row) { return (gl_SubgroupID * EXP09_ROWS + row) * gl_SubgroupSize + gl_SubgroupInvocationID; }

uint block_sum(uint own) {
  const uint sum = subgroupAdd(own);
  if (subgroupElect()) sums[gl_SubgroupID] = sum;
  barrier();
  uint total = 0;
  for (uint s = 0; s < gl_NumSubgroups; ++s) total += sums[s];
  return total;
}

uvec4 block_exclusive(uvec4 own, out uint total) {
  const uvec4 upto = subgroupInclusiveAdd(own);
  const uvec4 row_sums = subgroupBroadcast(upto, gl_SubgroupSize - 1);
  if (subgroupElect()) sums[gl_SubgroupID] = sum_of(row_sums);
  barrier();
  uint before = 0;
  total = 0;
  for (uint s = 0; s < gl_NumSubgroups; ++s) {
    if (s == gl_SubgroupID) before = total;
    total += sums[s];
  }
  return upto - own + before + uvec4(0, row_sums.x, row_sums.x + row_sums.y, row_sums.x + row_sums.y + row_sums.z);
}
#endif
