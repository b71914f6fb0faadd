// c[i] = a[i] + b[i] for TYPE: two elements read an invocation, one written, coalesced.
#include "params.h"

layout(local_size_x_id = 0) in;
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = ALIGN) readonly buffer Input { TYPE at[]; };
layout(buffer_reference, std430, buffer_reference_align = ALIGN) writeonly buffer Output { TYPE at[]; };
layout(push_constant, std430) uniform Push {
  Input a;
  Input b;
  Output c;
  BdaParams params;
};
#define A a.at
#define B b.at
#define C c.at
#else
layout(set = 0, binding = 0, std430) readonly buffer BufferA { TYPE A[]; };
layout(set = 0, binding = 1, std430) readonly buffer BufferB { TYPE B[]; };
layout(set = 0, binding = 2, std430) writeonly buffer BufferC { TYPE C[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };
#endif

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) C[i] = A[i] + B[i];
}
