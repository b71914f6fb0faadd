// Grid-stride store of 4 B per thread and step, coalesced: the words of a random stream.
// Twin: common/vulkan/kernels/random_words.comp.
#include "core/base/data_words.h"

extern "C" __global__ void random_words(uint* data, RandomWordsParams params) {
  const uint stride = gridDim.x * blockDim.x;
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < params.count; i += stride) {
    const uint index = params.first + i;
    data[index] = input_word(random_word(index, params.key_lo, params.key_hi));
    if (params.count - i <= stride) break;  // the index may not run over
  }
}
