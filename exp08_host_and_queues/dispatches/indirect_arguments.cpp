#include "indirect_arguments.h"

#include "core/base/error.h"

IndirectArguments::IndirectArguments(const bench::vulkan::Context& context, std::uint64_t bytes) {
  using Usage = vk::BufferUsageFlagBits;
  buffer_ = BENCH_VK(context.device().createBuffer(
      {.size = bytes, .usage = Usage::eTransferDst | Usage::eIndirectBuffer | Usage::eShaderDeviceAddress}));
  const vk::MemoryRequirements needs = buffer_.getMemoryRequirements();
  const vk::MemoryAllocateFlagsInfo addressable{.flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
  for (std::uint32_t type = 0; type < context.memory().memoryTypeCount; ++type) {
    const bool is_local =
        static_cast<bool>(context.memory().memoryTypes[type].propertyFlags & vk::MemoryPropertyFlagBits::eDeviceLocal);
    if (!is_local || (needs.memoryTypeBits >> type & 1) == 0) continue;
    memory_ = BENCH_VK(
        context.device().allocateMemory({.pNext = &addressable, .allocationSize = needs.size, .memoryTypeIndex = type}));
    buffer_.bindMemory(*memory_, 0);
    address_ = context.device().getBufferAddress({.buffer = *buffer_});
    return;
  }
  throw bench::Error("no device-local memory for indirect arguments");
}
