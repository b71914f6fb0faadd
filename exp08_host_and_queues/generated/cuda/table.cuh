// The table of jobs, by its address.
#pragma once

#include "params.h"

__device__ __forceinline__ unsigned int* table_of(const TableAddress& table) {
  return reinterpret_cast<unsigned int*>(static_cast<unsigned long long>(table.high) << 32 | table.low);
}
__device__ __forceinline__ Sequence* sequences_of(unsigned int* table) {
  return reinterpret_cast<Sequence*>(table + EXP08_TABLE_HEADER);
}
// What thread `job` of the kernel that plans decides.
__device__ __forceinline__ Sequence planned(const PlanParams& params, unsigned int job) {
  return {{job * EXP08_MOST_BLOCKS, params.ticks, params.max_turns},
          EXP08_PLACE(job, params.jobs) < params.runs ? EXP08_JOB_BLOCKS(job) : 0,
          1,
          1};
}
__device__ __forceinline__ void write_plan(const PlanParams& params, unsigned int job) {
  unsigned int* table = table_of(params.table);
#ifdef SCATTERED
  if (job == 0) table[0] = params.jobs;  // the last one may run
#else
  if (job == 0) table[0] = params.runs;
#endif
  if (job < params.jobs) sequences_of(table)[job] = planned(params, job);
}
