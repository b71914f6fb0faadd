// task, task_tells: one thread works for a time by the GPU's clock, stores 12 bytes, and, if it tells, sets a flag in the
// host's memory.
#include "params.h"

__device__ __forceinline__ unsigned int ticks() {
  unsigned int now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

template <bool kTells>
__device__ __forceinline__ void work(unsigned int* done, unsigned int* trace, const TaskParams& params) {
  if (threadIdx.x != 0) return;
  const unsigned int begin = ticks();
  unsigned int end = begin;
#pragma unroll 1
  for (unsigned int turn = 0; turn < params.max_turns && end - begin < params.ticks; ++turn) end = ticks();
  done[0] = EXP08_DONE;
  trace[0] = begin;
  trace[1] = end;
  if (!kTells) return;
  auto* flag =
      reinterpret_cast<volatile unsigned int*>(static_cast<unsigned long long>(params.flag_high) << 32 | params.flag_low);
  __threadfence_system();
  *flag = params.value;
}

extern "C" __global__ void task(unsigned int* done, unsigned int* trace, TaskParams params) {
  work<false>(done, trace, params);
}
extern "C" __global__ void task_tells(unsigned int* done, unsigned int* trace, TaskParams params) {
  work<true>(done, trace, params);
}
