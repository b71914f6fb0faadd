// A buffer that a kernel stores into, by address or by a copy, and that indirect dispatches read.
#pragma once

#include <cstdint>

#include "vulkan/device/device.h"

inline constexpr std::uint64_t kArgumentBytes = 16;  // of a dispatch: three words, and one that keeps them aligned

class IndirectArguments {
 public:
  // Throws Error where no device-local memory takes such a buffer.
  IndirectArguments(const bench::vulkan::Context& context, std::uint64_t bytes);

  vk::Buffer handle() const { return *buffer_; }
  vk::DeviceAddress address() const { return address_; }

 private:
  vk::raii::DeviceMemory memory_{nullptr};
  vk::raii::Buffer buffer_{nullptr};
  vk::DeviceAddress address_ = 0;
};
