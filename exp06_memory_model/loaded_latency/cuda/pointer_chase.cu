// One thread follows addresses through a table, 8 bytes of a 128-byte line a step. Its output is the line where it ends.
#include "exp06_memory_model/loaded_latency/cuda/follow.cuh"

extern "C" __global__ void pointer_chase(const unsigned char* table, uint* results, PointerParams params) {
  results[0] = follow(table, params.lines, params.steps);
}
