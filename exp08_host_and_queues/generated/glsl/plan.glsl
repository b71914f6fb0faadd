// Decides which jobs run, and how large: one invocation a job, 24 bytes written each, and the count. SCATTERED: jobs run here and
// there. PACKED: those that run have the first sequences, whichever came first, and the count was zero before.
#include "glsl/table.glsl"

layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { PlanParams params; };

void main() {
  const uint job = gl_GlobalInvocationID.x;
  Table table = table_of(params.table);
#ifndef PACKED
#ifdef SCATTERED
  if (job == 0) table.count = params.jobs;  // the last one may run
#else
  if (job == 0) table.count = params.runs;
#endif
#endif
  if (job >= params.jobs) return;
  const bool runs = EXP08_PLACE(job, params.jobs) < params.runs;
  const JobParams mine = JobParams(job * EXP08_MOST_BLOCKS, params.ticks, params.max_turns);
#ifdef PACKED
  if (runs) table.sequences[atomicAdd(table.count, 1)] = Sequence(mine, EXP08_JOB_BLOCKS(job), 1, 1);
#else
  table.sequences[job] = Sequence(mine, runs ? EXP08_JOB_BLOCKS(job) : 0, 1, 1);
#endif
}
