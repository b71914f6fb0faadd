// One Work made ready to be recorded: its buffers made known to the kernel, sizes checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "vulkan/launch/recorded_launch.h"
#include "vulkan/memory/buffer.h"

namespace bench::vulkan {

class Command {
 public:
  // Throws Error for a launch that does not fit its kernel, the device's limits or the buffers; see also record_launch().
  Command(const Context& context, const Work& work);

  bool empty() const { return std::holds_alternative<Nothing>(work_); }
  const std::string& name() const { return name_; }
  const Kernel* kernel() const { return kernel_of(work_); }

  // Of the buffers that another API uses too: first and last in a command buffer (see DeviceBuffer::acquire).
  void acquire(const vk::raii::CommandBuffer& commands) const;
  void release(const vk::raii::CommandBuffer& commands) const;

  // Once per command buffer, and again after another work's bind(). With SetUse::kUpdatedPerDispatch, what was recorded before
  // must have completed: its sets are used again.
  void bind(const vk::raii::CommandBuffer& commands) const;
  // `count` launches or copies; with a barrier between any two if `ordered`. Their buffers are bound anew in between as the
  // kernel's set_use says.
  void record(const vk::raii::CommandBuffer& commands, std::uint32_t count = 1, bool ordered = true) const;
  // What a CUDA stream does between two launches: the next one starts when this one is complete and sees its writes.
  void order(const vk::raii::CommandBuffer& commands) const;

 private:
  const Context& context_;
  Work work_;
  std::vector<const DeviceBuffer*> buffers_;  // each once
  std::string name_;
  std::unique_ptr<RecordedLaunch> launch_;               // of a Launch
  std::vector<std::unique_ptr<RecordedLaunch>> passes_;  // of Passes: each bound anew whenever it is recorded
};

}  // namespace bench::vulkan
