// All device memory of the suite: buffers, each with an allocation of its own.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/device/offers.h"
#include "vulkan/api/context.h"
#include "vulkan/memory/memory_type.h"

namespace bench::vulkan {

// The VkBuffer and its dedicated VkDeviceMemory; the memory outlives the buffer.
struct Allocation {
  vk::raii::DeviceMemory memory{nullptr};
  vk::raii::Buffer buffer{nullptr};
  std::uint32_t type = 0;  // the index of its memory type
};

struct BufferWish {
  std::uint64_t bytes = 0;
  std::string_view label;
  vk::BufferUsageFlags usage;
  std::vector<MemoryKind> kinds;                  // as of MemoryNeed
  bool shared = false;                            // with another API
  std::optional<PageOrder> order = std::nullopt;  // bound by the queue, in this order
  ExportedMemory* import = nullptr;               // whose pages to take, instead of new ones; its handle is Vulkan's afterwards
  std::span<std::byte> host_pages = {};           // the application's own, to take instead; they outlive the buffer
};

// Belongs to all of the device's queue families. Throws Error for a size over the device's limit (which it names), OutOfMemory
// where no heap has room, Skip for a kind of memory that the device lacks, or for what BufferWish asks beyond a buffer.
Allocation allocate_buffer(const Context& context, const BufferWish& wish);

// The memory type that such a buffer would get now. Throws as allocate_buffer().
std::uint32_t choose_memory_type(const Context& context, std::string_view label, const MemoryNeed& need);

// A buffer that the host sees: mapped for as long as it lives, or of the host's own pages; coherent.
class MappedBuffer {
 public:
  MappedBuffer(const Context& context, const BufferWish& wish);
  vk::Buffer handle() const { return *allocation_.buffer; }
  std::span<std::byte> host() const { return host_; }
  std::uint32_t type() const { return allocation_.type; }
  vk::DeviceAddress address() const { return address_; }  // 0 without eShaderDeviceAddress among its usage

 private:
  Allocation allocation_;
  std::span<std::byte> host_;
  vk::DeviceAddress address_ = 0;
};

// The GPU's own memory.
std::vector<MemoryKind> device_local();
// The host's memory, cached first: the host reads uncached memory (a window into the GPU's, or write-combined) at some 100
// MB/s. Coherent memory that the host sees always exists (Vulkan 1.3, section 11.2.1).
std::vector<MemoryKind> host_cached();

}  // namespace bench::vulkan
