// One thread follows addresses through a table, 8 bytes of a 128-byte line a step, with nothing between two loads. Its output
// is the line where it ends.
#include "params.h"

// Past the L1, as loaded_chase's loads are.
__device__ __forceinline__ const unsigned char* load_strong(const unsigned char* from) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return reinterpret_cast<const unsigned char*>(value);
}

extern "C" __global__ void pointer_chase(const unsigned char* table, uint* results, PointerParams params) {
  const unsigned char* line = table + EXP06_LINE_BYTES * static_cast<unsigned long long>(pointer_line(0, params.lines));
#pragma unroll 1
  for (uint step = 0; step < params.steps; ++step) line = load_strong(line);
  results[0] = static_cast<uint>((line - table) / EXP06_LINE_BYTES);
}
