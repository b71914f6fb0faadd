// exp03's inner_struct: both fields of an 8-byte struct, 10 and 20 added: 8 bytes read and 8 written an invocation.
#include "params.h"

#define TYPE Pair
#define ALIGN 4
#define READ readonly
#define WRITE writeonly
#include "buffers.glsl"

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) {
    Pair pair = A[i];
    pair.x += 10.0f;
    pair.y += 20.0f;
    B[i] = pair;
  }
}
