// All jobs in one grid with room for the most blocks of each: 28 bytes read and 4 written a workgroup that has work.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/table.glsl"
#include "glsl/run_block.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { AllJobsParams params; };

void main() {
  if (gl_LocalInvocationID.x != 0) return;
  Table table = table_of(params.table);
  const uint job = params.first_job + gl_WorkGroupID.x / EXP08_MOST_BLOCKS;
  const uint block = gl_WorkGroupID.x % EXP08_MOST_BLOCKS;
  if (job < table.count && block < table.sequences[job].x) run_block(table.sequences[job].params, block);
}
