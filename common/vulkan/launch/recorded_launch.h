// One launch as a command buffer records it: of a compute pipeline, or of an imported kernel.
#pragma once

#include <memory>

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

class RecordedLaunch {
 public:
  virtual ~RecordedLaunch() = default;

  // Everything, for a command buffer in which nothing of this launch is bound yet.
  virtual void bind(const vk::raii::CommandBuffer& commands) = 0;
  // What SetUse says is done between two launches.
  virtual void rebind(const vk::raii::CommandBuffer& commands) = 0;
  virtual void launch(const vk::raii::CommandBuffer& commands) const = 0;
};

// The kernel and the buffers outlive it. `launch` has been through check_work(). Throws Error for one that does not fit the
// device's limits (Skip of VulkanLaunch::interface), Skip where such a kernel cannot be launched with its set_use.
std::unique_ptr<RecordedLaunch> record_launch(const Context& context, const Launch& launch);

}  // namespace bench::vulkan
