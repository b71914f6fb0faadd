// A buffer that a kernel stores into, by address or by a copy, and that indirect dispatches read.
#pragma once

#include <cstdint>

#include "vulkan/memory/allocator.h"

inline constexpr std::uint64_t kArgumentBytes = 16;  // of a dispatch: three words, and one that keeps them aligned

class IndirectArguments {
 public:
  // `more`: what else it is used for. Throws as allocate_buffer().
  IndirectArguments(const bench::vulkan::Context& context, std::uint64_t bytes, vk::BufferUsageFlags more = {});

  vk::Buffer handle() const { return *allocation_.buffer; }
  vk::DeviceAddress address() const { return address_; }

 private:
  bench::vulkan::Allocation allocation_;
  vk::DeviceAddress address_ = 0;
};
