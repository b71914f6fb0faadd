// incompressible_word() for a whole element: element `index` of a stream of words.
#pragma once

#include "core/base/shader_types.h"

__device__ __forceinline__ void words_of(uint index, uint& value) { value = incompressible_word(index); }
__device__ __forceinline__ void words_of(uint index, uint2& value) {
  value = make_uint2(incompressible_word(2 * index), incompressible_word(2 * index + 1));
}
__device__ __forceinline__ void words_of(uint index, uint4& value) {
  value = make_uint4(incompressible_word(4 * index), incompressible_word(4 * index + 1), incompressible_word(4 * index + 2),
                     incompressible_word(4 * index + 3));
}
