// b[i] = a[i] after so many steps, each needing the one before: 4 bytes read an invocation, 4 written. TURNS: how it is told how many.
#include "params.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kTurns = 1;
layout(push_constant, std430) uniform Push { TurnsParams params; };
layout(set = 0, binding = 0, std430) readonly buffer Input { uint a[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint b[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= params.count) return;
  uint x = a[i];
  for (uint k = 0; k < TURNS; ++k) x = made_step(x, k);
  b[i] = x;
}
