// What a device sample begins with: the GPU is busy for a while before its opening stamp, as it is on CUDA's side.
#pragma once

#include "core/device/device.h"
#include "vulkan/launch/command.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/buffer.h"

namespace bench::vulkan {

class Gate {
 public:
  // Throws Skip where kernels cannot read the device's clock.
  explicit Gate(const Context& context);
  // Occupies one invocation for kGateNs of the device's clock, bounded by turns. Leaves its own pipeline bound.
  void record(const vk::raii::CommandBuffer& commands) const;
  // One word: the ticks of that clock for which it was occupied last.
  const DeviceBuffer& elapsed() const { return elapsed_; }

 private:
  DeviceBuffer elapsed_;
  ComputePipeline kernel_;
  Command spin_;
};

}  // namespace bench::vulkan
