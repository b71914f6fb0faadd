// b[i] = a[i] in a grid-stride loop, one float a turn: 4 bytes read, 4 written, by a grid small enough that hardly a workgroup
// starts or ends.
#include "params.h"

#define TYPE float
#define ALIGN 4
#define READ readonly
#define WRITE writeonly
#include "buffers.glsl"

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < params.count; i += stride) B[i] = A[i];
}
