// Parameters of the support kernels, for C++ and CUDA alike.
#pragma once

#include <cstdint>

namespace bench::cuda {

// gate.cu, spin.cu
struct WaitParams {
  std::uint32_t ns;  // of the GPU's %globaltimer
};
static_assert(sizeof(WaitParams) == 4);

// evict_l2.cu
struct EvictParams {
  std::uint32_t vec4_count;  // 16-byte elements to read
  std::uint32_t impossible;  // a word that no thread's XOR can be
};
static_assert(sizeof(EvictParams) == 8);

}  // namespace bench::cuda
