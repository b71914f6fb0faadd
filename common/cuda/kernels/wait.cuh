// Waiting on the GPU by its own clock.
#pragma once

__device__ inline unsigned long long globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// Waits `ns` nanoseconds and returns how long it was. Bounded even if the clock stands still: reading it takes longer than 1
// ns, so `ns` turns are always enough.
__device__ inline unsigned wait(unsigned ns) {
  const unsigned long long begin = globaltimer();
  unsigned elapsed = 0;
  for (unsigned turn = 0; turn < ns && elapsed < ns; ++turn) elapsed = static_cast<unsigned>(globaltimer() - begin);
  return elapsed;
}
