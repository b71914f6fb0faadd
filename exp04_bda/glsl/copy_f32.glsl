// b[i] = a[i]; one float an invocation, coalesced: 4 bytes read, 4 written.
#include "params.h"

#define TYPE float
#define ALIGN 4
#include "buffers.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) B[i] = A[i];
}
