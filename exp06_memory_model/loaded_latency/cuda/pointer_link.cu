// Makes the table that `pointer_chase` follows: a line holds the address of the line after it, 8 bytes written a thread.
#include "params.h"

extern "C" __global__ void pointer_link(unsigned char* table, PointerParams params) {
  const uint t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= params.lines) return;
  unsigned char* const next = table + EXP06_LINE_BYTES * static_cast<unsigned long long>(pointer_line(t + 1, params.lines));
  *reinterpret_cast<unsigned char**>(table +
                                     EXP06_LINE_BYTES * static_cast<unsigned long long>(pointer_line(t, params.lines))) = next;
}
