// All jobs in one grid with room for the most blocks of each: 28 bytes read and 4 written a block that has work.
#include "cuda/run_block.cuh"
#include "cuda/table.cuh"

extern "C" __global__ void all_jobs(unsigned int* tags, AllJobsParams params) {
  if (threadIdx.x != 0) return;
  unsigned int* table = table_of(params.table);
  const Sequence* sequences = sequences_of(table);
  const unsigned int job = params.first_job + blockIdx.x / EXP08_MOST_BLOCKS;
  const unsigned int block = blockIdx.x % EXP08_MOST_BLOCKS;
  if (job < table[0] && block < sequences[job].x) run_block(tags, sequences[job].params, block);
}
