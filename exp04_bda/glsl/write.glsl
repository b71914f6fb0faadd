// The kernels that only write: WORD(i) into word i of the output, 16 bytes an invocation in one access, coalesced.
#include "params.h"

layout(local_size_x_id = 0) in;
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Output { uvec4 at[]; };
layout(push_constant, std430) uniform Push {
  Output b;
  BdaParams params;
};
#define B b.at
#else
layout(set = 0, binding = 0, std430) writeonly buffer Output { uvec4 B[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };
#endif

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < params.count) B[i] = uvec4(WORD(i * 4), WORD(i * 4 + 1), WORD(i * 4 + 2), WORD(i * 4 + 3));
}
