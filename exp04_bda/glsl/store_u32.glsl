// Word i of the output becomes incompressible_word(i): one 4-byte store an invocation, coalesced, and no load.
#include "params.h"

layout(local_size_x_id = 0) in;
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Output { uint at[]; };
layout(push_constant, std430) uniform Push {
  Output b;
  BdaParams params;
};
#define B b.at
#else
layout(set = 0, binding = 0, std430) writeonly buffer Output { uint b[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };
#define B b
#endif

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) B[i] = incompressible_word(i);
}
