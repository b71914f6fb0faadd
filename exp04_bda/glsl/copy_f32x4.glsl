// b[i] = a[i]; four floats an invocation: 16 bytes read, 16 written. The promised alignment decides the width of an access.
#include "params.h"

#define TYPE vec4
#define ADDRESS
#define READ readonly
#define WRITE writeonly
#include "buffers.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) B[i] = A[i];
}
