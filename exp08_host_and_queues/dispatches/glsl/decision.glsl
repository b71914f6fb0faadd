// Writes the arguments of two indirect dispatches where they are asked for: the work's, and those of the one that decides next.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "params.h"

layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Arguments { uvec4 of_work, of_next; };

void tell(Decision decision, uint blocks) {
  if ((decision.target_low | decision.target_high) == 0) return;
  Arguments arguments = Arguments(uvec2(decision.target_low, decision.target_high));
  arguments.of_work = uvec4(blocks, 1, 1, 0);
  arguments.of_next = uvec4(min(blocks, 1), 1, 1, 0);
}
