#include "vulkan/buffer.h"

#include <optional>

namespace bench::vk {
namespace {

using Usage = ::vk::BufferUsageFlagBits;
using Memory = ::vk::MemoryPropertyFlagBits;

// The first type with all of `flags`: among types alike, the specification orders those with fewer further flags first
// (Vulkan 1.3, section 11.2.1).
std::optional<std::uint32_t> find_memory_type(const Context& context, std::uint32_t allowed, ::vk::MemoryPropertyFlags flags) {
  for (std::uint32_t i = 0; i < context.memory().memoryTypeCount; ++i) {
    if ((allowed >> i & 1U) != 0 && (context.memory().memoryTypes[i].propertyFlags & flags) == flags) {
      return i;
    }
  }
  return std::nullopt;
}

// Takes the first of `wishes` that some allowed memory type fulfils.
Allocation make_allocation(const Context& context, std::uint64_t bytes, std::string_view label, ::vk::BufferUsageFlags usage,
                           std::initializer_list<::vk::MemoryPropertyFlags> wishes, Sharing sharing = Sharing::kNone) {
  if (bytes == 0) {
    throw Error("buffer '{}' of 0 bytes", label);
  }
  if (bytes > context.max_allocation_bytes()) {
    throw Error(
        "buffer '{}' of {} bytes is over {}'s limit of {} bytes for one buffer (maxBufferSize, maxMemoryAllocationSize)", label,
        bytes, context.info().name, context.max_allocation_bytes());
  }
  const bool exportable = sharing == Sharing::kExportable;
  if (exportable && !context.features().external_memory_fd) {
    throw Skip("{} lacks VK_KHR_external_memory_fd for storage buffers: its memory cannot be shared", context.info().name);
  }
  const ::vk::ExternalMemoryBufferCreateInfo external{.handleTypes = kExportHandle};
  const ::vk::BufferCreateInfo buffer_info{.pNext = exportable ? &external : nullptr, .size = bytes, .usage = usage};
  Allocation allocation;
  allocation.buffer = BENCH_VK(context.device().createBuffer(buffer_info), "buffer '{}', {} bytes", label, bytes);

  const ::vk::MemoryRequirements requirements = allocation.buffer.getMemoryRequirements();
  std::optional<std::uint32_t> type;
  for (const ::vk::MemoryPropertyFlags wish : wishes) {
    if (!type) {
      type = find_memory_type(context, requirements.memoryTypeBits, wish);
    }
  }
  if (!type) {
    throw Error("{} has no memory type for buffer '{}': wanted {}, allowed types {:#x}", context.info().name, label,
                ::vk::to_string(*(wishes.end() - 1)), requirements.memoryTypeBits);
  }

  const ::vk::ExportMemoryAllocateInfo exported{.handleTypes = kExportHandle};
  const ::vk::MemoryDedicatedAllocateInfo dedicated{.pNext = exportable ? &exported : nullptr, .buffer = *allocation.buffer};
  const ::vk::MemoryAllocateFlagsInfo addressable{.pNext = &dedicated, .flags = ::vk::MemoryAllocateFlagBits::eDeviceAddress};
  const bool has_address = static_cast<bool>(usage & Usage::eShaderDeviceAddress);
  const ::vk::MemoryAllocateInfo memory_info{
      .pNext = has_address ? static_cast<const void*>(&addressable) : &dedicated,
      .allocationSize = requirements.size,
      .memoryTypeIndex = *type,
  };
  const std::uint64_t heap_bytes = context.memory().memoryHeaps[context.memory().memoryTypes[*type].heapIndex].size;
  allocation.memory = BENCH_VK(context.device().allocateMemory(memory_info), "buffer '{}', {} bytes of a heap of {} bytes",
                               label, requirements.size, heap_bytes);
  BENCH_VK(allocation.buffer.bindMemory(*allocation.memory, 0));
  context.label(allocation.buffer, label);
  return allocation;
}

}  // namespace

DeviceBuffer::DeviceBuffer(const Context& context, std::uint64_t bytes, std::string_view label, Sharing sharing)
    : Buffer(bytes),
      allocation_(make_allocation(context, bytes, label,
                                  Usage::eStorageBuffer | Usage::eUniformBuffer | Usage::eTransferSrc | Usage::eTransferDst |
                                      Usage::eShaderDeviceAddress,
                                  {Memory::eDeviceLocal}, sharing)),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

// Cached first: the host reads uncached memory (a window into the GPU's, or write-combined) at some 100 MB/s.
// Coherent memory that the host sees always exists (Vulkan 1.3, section 11.2.1).
StagingBuffer::StagingBuffer(const Context& context, std::uint64_t bytes)
    : allocation_(make_allocation(
          context, bytes, "staging", Usage::eTransferSrc | Usage::eTransferDst,
          {Memory::eHostVisible | Memory::eHostCoherent | Memory::eHostCached, Memory::eHostVisible | Memory::eHostCoherent})),
      host_(static_cast<std::byte*>(BENCH_VK(allocation_.memory.mapMemory(0, VK_WHOLE_SIZE))), bytes) {}

ExportedMemory DeviceBuffer::export_memory(const Context& context) const {
  const ::vk::MemoryGetFdInfoKHR info{.memory = *allocation_.memory, .handleType = kExportHandle};
  FileDescriptor handle(BENCH_VK(context.device().getMemoryFdKHR(info), "{} bytes", bytes()));
  return {std::move(handle), allocation_.buffer.getMemoryRequirements().size, bytes()};
}

DescriptorMemory::DescriptorMemory(const Context& context, std::uint64_t bytes)
    : allocation_(make_allocation(
          context, bytes, "descriptors", kUsage,
          {Memory::eDeviceLocal | Memory::eHostVisible | Memory::eHostCoherent, Memory::eHostVisible | Memory::eHostCoherent})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})),
      host_(static_cast<std::byte*>(BENCH_VK(allocation_.memory.mapMemory(0, VK_WHOLE_SIZE))), bytes) {}

const DeviceBuffer& device_buffer(const Buffer& buffer) {
  const auto* ours = dynamic_cast<const DeviceBuffer*>(&buffer);
  if (ours == nullptr) {
    throw Error("a buffer of another API was handed to Vulkan");
  }
  return *ours;
}

}  // namespace bench::vk
