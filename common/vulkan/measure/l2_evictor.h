// Empties the L2 of what the next kernel will use, by reading something else.
#pragma once

#include "vulkan/launch/command.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/buffer.h"
#include "vulkan/memory/staged_copies.h"

namespace bench::vulkan {

// A read sweep: a sweep that wrote would leave dirty lines, and the timed kernel would pay for writing them back.
class L2Evictor {
 public:
  // Sweeps `bytes`, rounded up to 16. Allocates. Throws OutOfMemory.
  L2Evictor(const Context& context, StagedCopies& copies, std::uint64_t bytes);
  std::uint64_t bytes() const { return buffer_.bytes(); }
  // One sweep. Leaves its own pipeline bound.
  void record(const vk::raii::CommandBuffer& commands) const;

 private:
  DeviceBuffer buffer_;
  DeviceBuffer sink_;
  ComputePipeline kernel_;
  Command sweep_;
};

}  // namespace bench::vulkan
