// What a block does: see work.cuh. 16 bytes written a block.
#include "cuda/work.cuh"

extern "C" __global__ void work(unsigned int* tags, unsigned int* trace, WorkParams params) { run_block(tags, trace, params); }
