// Buffers with a memory allocation of their own.
#pragma once

#include <string_view>

#include "core/device.h"
#include "vulkan/context.h"

namespace bench::vulkan {

// The VkBuffer and its dedicated VkDeviceMemory; the memory outlives the buffer.
struct Allocation {
  vk::raii::DeviceMemory memory{nullptr};
  vk::raii::Buffer buffer{nullptr};
};

inline constexpr vk::ExternalMemoryHandleTypeFlagBits kExportHandle = vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd;

// Device-local memory for storage, copies and device addresses.
class DeviceBuffer : public Buffer {
 public:
  // kPrivate: for this device alone. kExportable: for another API to import, too.
  enum class Sharing : std::uint8_t { kPrivate, kExportable };
  // Throws Error for a size over the device's limit (which it names), OutOfMemory with the sizes, Skip for kExportable where
  // the device cannot.
  DeviceBuffer(const Context& context, std::uint64_t bytes, std::string_view label, Sharing sharing = Sharing::kPrivate);
  // Over the pages of another API's allocation. Throws Error; Skip where the device cannot.
  DeviceBuffer(const Context& context, ExportedMemory memory, std::string_view label);
  vk::Buffer handle() const { return *allocation_.buffer; }
  vk::DeviceAddress address() const { return address_; }
  // Of a kExportable buffer. Throws Error.
  ExportedMemory export_memory(const Context& context) const;

 private:
  Allocation allocation_;
  vk::DeviceAddress address_ = 0;
};

// Host memory that the device can copy from and to; mapped for as long as it lives, coherent.
class StagingBuffer {
 public:
  StagingBuffer(const Context& context, std::uint64_t bytes);
  vk::Buffer handle() const { return *allocation_.buffer; }
  std::span<std::byte> host() const { return host_; }

 private:
  Allocation allocation_;
  std::span<std::byte> host_;
};

// Descriptors that the host writes in place (VK_EXT_descriptor_buffer): mapped, coherent, on the device where it has such
// memory.
class DescriptorMemory {
 public:
  DescriptorMemory(const Context& context, std::uint64_t bytes);
  vk::DeviceAddress address() const { return address_; }
  std::span<std::byte> host() const { return host_; }
  static constexpr vk::BufferUsageFlags kUsage =
      vk::BufferUsageFlagBits::eResourceDescriptorBufferEXT | vk::BufferUsageFlagBits::eShaderDeviceAddress;

 private:
  Allocation allocation_;
  vk::DeviceAddress address_;
  std::span<std::byte> host_;
};

// Throws Error if `buffer` is another API's.
const DeviceBuffer& device_buffer(const Buffer& buffer);

}  // namespace bench::vulkan
