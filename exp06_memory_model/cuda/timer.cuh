#pragma once

// The GPU's own clock, in nanoseconds; another GPU's need not agree with it.
__device__ __forceinline__ unsigned long long timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
