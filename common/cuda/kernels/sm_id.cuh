// Which SM a thread runs on.
#pragma once

__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
