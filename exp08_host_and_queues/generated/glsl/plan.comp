// Decides which jobs run, and how large: one invocation a job, 24 bytes written each, and the count.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/table.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { PlanParams params; };

void main() {
  const uint job = gl_GlobalInvocationID.x;
  Table table = table_of(params.table);
  if (job == 0) table.count = params.runs;
  if (job >= params.jobs) return;
  const JobParams mine = JobParams(job * EXP08_MOST_BLOCKS, params.ticks, params.max_turns);
  table.sequences[job] = Sequence(mine, job < params.runs ? EXP08_JOB_BLOCKS(job) : 0, 1, 1);
}
