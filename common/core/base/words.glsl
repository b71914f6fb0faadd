// incompressible_word() for a whole element: element `index` of a stream of words.
#include "core/base/shader_types.h"

uint words_1(uint index) { return incompressible_word(index); }
uvec2 words_2(uint index) { return uvec2(incompressible_word(2 * index), incompressible_word(2 * index + 1)); }
uvec4 words_4(uint index) {
  return uvec4(incompressible_word(4 * index), incompressible_word(4 * index + 1), incompressible_word(4 * index + 2),
               incompressible_word(4 * index + 3));
}
