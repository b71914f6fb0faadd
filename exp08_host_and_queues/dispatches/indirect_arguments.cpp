#include "indirect_arguments.h"

IndirectArguments::IndirectArguments(const bench::vulkan::Context& context, std::uint64_t bytes, vk::BufferUsageFlags more)
    : allocation_(bench::vulkan::allocate_buffer(
          context, {.bytes = bytes,
                    .label = "indirect arguments",
                    .usage = vk::BufferUsageFlagBits::eTransferDst | vk::BufferUsageFlagBits::eIndirectBuffer |
                             vk::BufferUsageFlagBits::eShaderDeviceAddress | more,
                    .kinds = bench::vulkan::device_local()})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}
