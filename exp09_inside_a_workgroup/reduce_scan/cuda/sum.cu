// sum_tree, sum_subgroup, sum_last_block: see sum.cuh.
#include "sum.cuh"

SUM(tree, Tree)
SUM(subgroup, Subgroups)
extern "C" __global__ void sum_last_block(const uint4* words, uint* result, uint* state, ScanParams params) {
  sum_last_block_ready(words, result, state, params);
}
