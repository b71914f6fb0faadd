// Shared by main.cpp, cuda/ and glsl/.
#ifndef EXP08_GENERATED_PARAMS_H
#define EXP08_GENERATED_PARAMS_H

#include "core/base/shader_types.h"

// What one job's kernel gets: whose words are its own, and how long each of its blocks works.
struct JobParams {
  uint first;      // its first block's number among all jobs' blocks
  uint ticks;      // of the GPU's clock that a block waits; 0: it only stores
  uint max_turns;  // the bound, should the clock stand still
};
BENCH_ASSERT_SIZE(JobParams, 12);

// Word b of the output, by block b: it ran, once and as itself.
#define EXP08_TAG(b) (((b)*2654435761u) ^ 0x9e3779b9u)

// A job's blocks: the GPU decides how many, 1 to EXP08_MOST_BLOCKS.
#define EXP08_MOST_BLOCKS 4u
#define EXP08_JOB_BLOCKS(job) (1u + ((((job) + 1u) * 2654435761u) >> 30))

// A job as the GPU writes it: what its kernel gets, and its grid. Vulkan: push constants and the arguments of a dispatch.
struct Sequence {
  JobParams params;
  uint x, y, z;
};
BENCH_ASSERT_SIZE(Sequence, 24);

// Where the table of jobs lies, as a device address: a count, three words that keep what follows aligned, and the sequences.
struct TableAddress {
  uint low;
  uint high;
};
BENCH_ASSERT_SIZE(TableAddress, 8);
#define EXP08_TABLE_HEADER 4u  // words
#define EXP08_SEQUENCE_WORDS 6u

// plan: of `jobs` jobs those are to run whose place (EXP08_PLACE) is below `runs`.
struct PlanParams {
  uint jobs;
  uint runs;
  uint ticks;
  uint max_turns;
  TableAddress table;
};
BENCH_ASSERT_SIZE(PlanParams, 24);

// all_jobs: one grid with room for the most blocks of each job, from job first_job on.
struct AllJobsParams {
  uint first_job;
  TableAddress table;
};
BENCH_ASSERT_SIZE(AllJobsParams, 12);

// A job's place among `jobs`: its number, so that the first jobs run; or, in kernels that are compiled SCATTERED, another.
// Since 617 is prime and divides no number of jobs here, no two have the same place.
#define EXP08_SCATTERED_PLACE(job, jobs) (((job)*617u) % (jobs))
#ifdef SCATTERED
#define EXP08_PLACE(job, jobs) EXP08_SCATTERED_PLACE(job, jobs)
#else
#define EXP08_PLACE(job, jobs) (job)
#endif

#define EXP08_THREADS 256u     // of a block
#define EXP08_MOST_JOBS 1024u  // that one thread decides about

#endif
