// Memory of the application's own that a driver is told of: whole pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

class Pages {
 public:
  // What drivers ask for at most (VkPhysicalDeviceExternalMemoryHostPropertiesEXT::minImportedHostPointerAlignment: 4 KiB, or
  // the kernel's page of 64 KiB).
  static constexpr std::uint64_t kAlignment = 64 << 10;

  // `bytes` of it or more.
  explicit Pages(std::uint64_t bytes)
      : bytes_((bytes + kAlignment - 1) / kAlignment * kAlignment), memory_(std::aligned_alloc(kAlignment, bytes_)) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  std::span<std::byte> all() const { return {static_cast<std::byte*>(memory_.get()), bytes_}; }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };

  std::uint64_t bytes_;
  std::unique_ptr<void, Free> memory_;
};
