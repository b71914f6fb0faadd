// Reads a[i] and stores it only if it is the poison, which no input is: one 4-byte load an invocation, coalesced, and no store.
#include "params.h"

#define TYPE uint
#define ALIGN 4
#define READ readonly
#define WRITE writeonly
#include "buffers.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    const uint value = A[i];
    if (value == EXP04_POISON) B[i] = 0;
  }
}
