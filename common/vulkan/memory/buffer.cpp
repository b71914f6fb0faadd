#include "vulkan/memory/buffer.h"

namespace bench::vulkan {
namespace {

using Memory = vk::MemoryPropertyFlagBits;
constexpr vk::MemoryPropertyFlags kSeen = Memory::eHostVisible | Memory::eHostCoherent;

}  // namespace

DeviceBuffer::DeviceBuffer(const Context& context, std::uint64_t bytes, std::string_view label, Sharing sharing,
                           std::optional<PageOrder> order)
    : Buffer(bytes, label),
      shared_(sharing == Sharing::kExportable),
      allocation_(allocate_buffer(
          context,
          {.bytes = bytes, .label = label, .usage = kDeviceUsage, .kinds = device_local(), .shared = shared_, .order = order})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

DeviceBuffer::DeviceBuffer(const Context& context, ExportedMemory memory, std::string_view label)
    : Buffer(memory.buffer_bytes, label),
      shared_(true),
      allocation_(allocate_buffer(context, {.bytes = memory.buffer_bytes,
                                            .label = label,
                                            .usage = kDeviceUsage,
                                            .kinds = device_local(),
                                            .shared = true,
                                            .import = &memory})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

StagingBuffer::StagingBuffer(const Context& context, std::uint64_t bytes)
    : MappedBuffer(context, {.bytes = bytes,
                             .label = "staging",
                             .usage = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst,
                             .kinds = host_cached()}) {}

ExportedMemory DeviceBuffer::export_memory(const Context& context) const {
  const vk::MemoryGetFdInfoKHR info{.memory = *allocation_.memory, .handleType = kSharedHandle};
  FileDescriptor handle(BENCH_VK(context.device().getMemoryFdKHR(info), "{} bytes", bytes()));
  return {std::move(handle), allocation_.buffer.getMemoryRequirements().size, bytes(), true};
}

void DeviceBuffer::acquire(const Context& context, const vk::raii::CommandBuffer& commands) const {
  hand_over(commands, VK_QUEUE_FAMILY_EXTERNAL, context.queue_family());
}

void DeviceBuffer::release(const Context& context, const vk::raii::CommandBuffer& commands) const {
  hand_over(commands, context.queue_family(), VK_QUEUE_FAMILY_EXTERNAL);
}

// The accesses are those of the side that is this device's: the other API's are its own affair.
void DeviceBuffer::hand_over(const vk::raii::CommandBuffer& commands, std::uint32_t from, std::uint32_t to) const {
  if (!shared_) return;
  const vk::AccessFlags2 all = vk::AccessFlagBits2::eMemoryRead | vk::AccessFlagBits2::eMemoryWrite;
  const vk::AccessFlags2 none = {};
  const vk::BufferMemoryBarrier2 barrier{.srcStageMask = vk::PipelineStageFlagBits2::eAllCommands,
                                         .srcAccessMask = from == VK_QUEUE_FAMILY_EXTERNAL ? none : all,
                                         .dstStageMask = vk::PipelineStageFlagBits2::eAllCommands,
                                         .dstAccessMask = to == VK_QUEUE_FAMILY_EXTERNAL ? none : all,
                                         .srcQueueFamilyIndex = from,
                                         .dstQueueFamilyIndex = to,
                                         .buffer = handle(),
                                         .size = VK_WHOLE_SIZE};
  commands.pipelineBarrier2({.bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = &barrier});
}

DescriptorMemory::DescriptorMemory(const Context& context, std::uint64_t bytes)
    : MappedBuffer(context, {.bytes = bytes,
                             .label = "descriptors",
                             .usage = kUsage,
                             .kinds = {{.required = kSeen | Memory::eDeviceLocal}, {.required = kSeen}}}) {}

const DeviceBuffer& device_buffer(const Buffer& buffer) {
  const auto* ours = dynamic_cast<const DeviceBuffer*>(&buffer);
  if (ours == nullptr) {
    throw Error("a buffer of another API was handed to Vulkan");
  }
  return *ours;
}

}  // namespace bench::vulkan
