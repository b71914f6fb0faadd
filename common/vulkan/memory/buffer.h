// The buffers that most code here uses.
#pragma once

#include <optional>
#include <string_view>

#include "core/device/offers.h"
#include "vulkan/memory/allocator.h"

namespace bench::vulkan {

// Device-local memory for storage, copies and device addresses.
class DeviceBuffer : public Buffer {
 public:
  // kPrivate: for this device alone. kExportable: for another API to import, too.
  enum class Sharing : std::uint8_t { kPrivate, kExportable };
  // With an order: bound by the queue. Throws Error for a size over the device's limit (which it names), OutOfMemory with the
  // sizes, Skip for kExportable where the device cannot, or for an order without VulkanChoice::sparse_binding.
  DeviceBuffer(const Context& context, std::uint64_t bytes, std::string_view label, Sharing sharing = Sharing::kPrivate,
               std::optional<PageOrder> order = {});
  // Over the pages of another API's allocation. Throws Error; Skip where the device cannot.
  DeviceBuffer(const Context& context, ExportedMemory memory, std::string_view label);
  vk::Buffer handle() const { return *allocation_.buffer; }
  vk::DeviceAddress address() const { return address_; }
  // Of a kExportable buffer. Throws Error.
  ExportedMemory export_memory(const Context& context) const;
  // Between two submissions memory that another API uses too belongs to that API (VK_QUEUE_FAMILY_EXTERNAL): a submission that
  // uses the buffer begins with acquire() and ends with release(). Nothing for a private buffer. Source: Vulkan 1.3,
  // section 7.7.4, "Queue Family Ownership Transfer".
  void acquire(const Context& context, const vk::raii::CommandBuffer& commands) const;
  void release(const Context& context, const vk::raii::CommandBuffer& commands) const;

 private:
  void hand_over(const vk::raii::CommandBuffer& commands, std::uint32_t from, std::uint32_t to) const;

  bool shared_ = false;
  Allocation allocation_;
  vk::DeviceAddress address_ = 0;
};

// Host memory that the device can copy from and to.
class StagingBuffer : public MappedBuffer {
 public:
  StagingBuffer(const Context& context, std::uint64_t bytes);
};

// Descriptors that the host writes in place (VK_EXT_descriptor_buffer), on the device where it has such memory.
class DescriptorMemory : public MappedBuffer {
 public:
  DescriptorMemory(const Context& context, std::uint64_t bytes);
  static constexpr vk::BufferUsageFlags kUsage =
      vk::BufferUsageFlagBits::eResourceDescriptorBufferEXT | vk::BufferUsageFlagBits::eShaderDeviceAddress;
};

// Throws Error if `buffer` is another API's.
const DeviceBuffer& device_buffer(const Buffer& buffer);

}  // namespace bench::vulkan
