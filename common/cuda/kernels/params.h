// Parameters of the support kernels, for C++ and CUDA alike.
#pragma once

#include <cstdint>

namespace bench::cuda {

// gate.cu
struct GateParams {
  volatile std::uint32_t* open;     // of the host's memory: it opens when the word is `number`
  volatile std::uint32_t* expired;  // likewise: `number` where it opened by itself
  std::uint32_t number;             // the sample's
  std::uint32_t bound_ns;           // of the GPU's %globaltimer: the longest that it stays shut
  std::uint32_t then_ns;            // likewise: how long it goes on once it is open
  std::uint32_t unused = 0;
};
static_assert(sizeof(GateParams) == 32);

// spin.cu
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
