// A __constant__ variable overwritten through a pointer: undefined behaviour, and nothing that GLSL could write.
//
// Thread 0 overwrites, the others read. A launch with LITMUS_OLD sets the variable back for the next.
#include "params.h"

__constant__ uint value = LITMUS_OLD;

__device__ __forceinline__ void overwrite(uint with) {
  uint* mutable_value = const_cast<uint*>(&value);
  asm volatile("" : "+l"(mutable_value));  // or the compiler would see what this points to
  *mutable_value = with;
}

// The compiler takes a constant for constant, and loads it before a barrier rather than after: unless the index is made there.
__device__ __forceinline__ uint load_here(uint zero) { return (&value)[clock() & zero]; }

// A post's program, with `seen` in place of its printf.
extern "C" __global__ void constant_at_once(uint* seen, ConstantParams params) {
  if (threadIdx.x != 0) {
    seen[threadIdx.x] = value;
  } else {
    overwrite(params.with);
    seen[0] = params.with;
  }
}

// A fence and a barrier between the store and the loads.
extern "C" __global__ void constant_after_barrier(uint* seen, ConstantParams params) {
  if (threadIdx.x == 0) overwrite(params.with);
  __threadfence();
  __syncthreads();
  const uint after = load_here(params.zero);
  seen[threadIdx.x] = threadIdx.x == 0 ? params.with : after;
}

// Every thread has read the variable before it is overwritten, and reads it again.
extern "C" __global__ void constant_read_before(uint* seen, ConstantParams params) {
  const uint before = load_here(params.zero);
  __syncthreads();
  if (threadIdx.x == 0) overwrite(params.with);
  __threadfence();
  __syncthreads();
  const uint after = load_here(params.zero);
  seen[threadIdx.x] = threadIdx.x == 0 ? params.with : before == LITMUS_OLD ? after : before;
}
