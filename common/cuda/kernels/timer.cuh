// The GPU's own clock.
#pragma once

// Nanoseconds. Another GPU's clock need not agree.
__device__ __forceinline__ unsigned long long timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
