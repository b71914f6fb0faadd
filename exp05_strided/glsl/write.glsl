// Word w of the output becomes incompressible_word(w).
#include "stride.glsl"
#include "core/base/words.glsl"

layout(set = 0, binding = 0, std430) writeonly buffer Output { TYPE data[]; };

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  [[dont_unroll]] for (uint i = gl_GlobalInvocationID.x; i < params.count; i += step) {
    const uint index = INDEX(i, params);
    data[index] = WORDS(index);
  }
}
