// How a launch's buffers reach its kernel: what each BufferBinding asks of the pipeline, and a small class that records it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

// Throws Skip with what the device lacks for spec.vulkan.binding.
void check_binding(const Context& context, const KernelSpec& spec);

// The sets of the pipeline's layout by their numbers, at least one; a set without a buffer is empty.
std::vector<vk::raii::DescriptorSetLayout> make_set_layouts(const Context& context, const KernelSpec& spec);

// What the pipeline must be created with.
vk::PipelineCreateFlags binding_flags(const KernelSpec& spec);

// The array of BufferBinding::kBindless: what a program with many buffers would have, of which a launch uses a few.
inline constexpr std::uint32_t kBindlessSlots = 1024;

// Writes descriptors of storage buffers into memory, as the driver wants them (VK_EXT_descriptor_buffer).
class DescriptorWriter {
 public:
  explicit DescriptorWriter(const Context& context);
  // Of so many bytes from `address` on, to the begin of `to`.
  void write(vk::DeviceAddress address, std::uint64_t bytes, std::span<std::byte> to) const;
  // Of what vkCmdSetDescriptorBufferOffsetsEXT takes.
  std::uint64_t offset_alignment() const { return properties_.descriptorBufferOffsetAlignment; }

 private:
  const Context& context_;
  vk::PhysicalDeviceDescriptorBufferPropertiesEXT properties_;
};

// Records what the dispatches after it need to see the buffers of one launch, which outlive it. As it is: of a launch without
// buffers.
class BufferBinder {
 public:
  explicit BufferBinder(const Launch& launch);
  virtual ~BufferBinder() = default;

  // Everything, for a command buffer in which nothing is bound yet.
  virtual void bind(const vk::raii::CommandBuffer& /*commands*/) {}
  // What a program must record to hand over other buffers of the same kind.
  virtual void rebind(const vk::raii::CommandBuffer& commands) { bind(commands); }
  // Allocates, writes and binds a set that no recording since restart() has used. Throws Skip where there are no such sets.
  virtual void update_and_bind(const vk::raii::CommandBuffer& commands);
  // Everything recorded so far has completed.
  virtual void restart() {}

 protected:
  vk::PipelineLayout layout() const { return layout_; }

 private:
  vk::PipelineLayout layout_;
};

// `launch` has been checked against its kernel.
std::unique_ptr<BufferBinder> make_binder(const Context& context, const Launch& launch);

}  // namespace bench::vulkan
