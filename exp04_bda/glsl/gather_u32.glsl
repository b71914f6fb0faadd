// b[i] = a[element of i], 32 elements from the neighbouring invocation's: every lane of a subgroup reads another sector. 4 bytes
// read, 4 written.
#include "params.h"

#define TYPE uint
#define ALIGN 4
#define READ readonly
#define WRITE writeonly
#include "buffers.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) B[i] = A[EXP04_GATHERED(i, params.count, params.steps)];
}
