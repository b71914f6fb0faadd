// Counts a loop's steps, 8 bytes read and written by one thread, and tells a graph's WHILE node whether another follows.
#include "cuda/advance.cuh"
#include "cuda/conditional.cuh"

extern "C" __global__ void advance(unsigned int* state, AdvanceParams params) {
  if (threadIdx.x == 0) tell(params.decision, another_step(state, params) ? 1 : 0);
}
