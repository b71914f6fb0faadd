// Empties the L2 of a timed kernel's data by reading something else.
#pragma once

#include <cstdint>

#include "cuda/launch/kernel.h"
#include "cuda/memory/buffer.h"

namespace bench::cuda {

// A read sweep over a buffer of its own: it leaves no dirty lines, whose write-back the timed kernel would pay for.
class L2Evictor {
 public:
  // bytes: at least twice the L2, at most 32 GiB. Throws OutOfMemory. The sweep reads whatever the buffer holds until it is
  // filled with kFill.
  L2Evictor(std::uint64_t bytes, std::uint32_t multiprocessors, ComputeCapability device);

  static constexpr std::uint32_t kFill = 0x5a5a5a5a;

  Buffer& buffer() { return buffer_; }

  // One sweep. Asynchronous.
  void enqueue(cudaStream_t stream) const;

 private:
  Kernel kernel_;
  Buffer buffer_;
  Buffer sink_;
  std::uint32_t blocks_;
};

}  // namespace bench::cuda
