// A chase: each line of the table holds the address of the next, and nothing stands between two loads.
#pragma once

#include "params.h"

// Past the L1, which no chase here is about.
__device__ __forceinline__ const unsigned char* load_line(const unsigned char* from) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return reinterpret_cast<const unsigned char*>(value);
}

// The line that comes after so many loads from the first.
__device__ __forceinline__ uint follow(const unsigned char* table, uint lines, uint steps) {
  const unsigned char* line = table + EXP06_LINE_BYTES * static_cast<unsigned long long>(pointer_line(0, lines));
#pragma unroll 1
  for (uint step = 0; step < steps; ++step) line = load_line(line);
  return static_cast<uint>((line - table) / EXP06_LINE_BYTES);
}
