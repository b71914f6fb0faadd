// Blocking copies between the host and the GPU.
#pragma once

#include <array>
#include <cstddef>

#include "core/device/device.h"
#include "cuda/api/handle.h"

namespace bench::cuda {

// Two pinned buffers: the host fills or empties one while the copy engine works on the other.
class StagedCopies {
 public:
  static constexpr std::size_t kSlotBytes = std::size_t{32} << 20;

  StagedCopies();

  // Throw what BENCH_CU does, and Interrupted between two chunks.
  void write(cudaStream_t stream, std::byte* to, std::size_t bytes, const bench::Device::Producer& produce);
  void read(cudaStream_t stream, const std::byte* from, std::size_t bytes, const bench::Device::Consumer& consume);

 private:
  struct Slot {
    PinnedMemory memory;
    Event copied;
  };

  std::array<Slot, 2> slots_;
};

}  // namespace bench::cuda
