// Copies between host and device through two staging buffers, and fills.
#pragma once

#include <cstdint>
#include <string_view>

#include "vulkan/api/command_slot.h"
#include "vulkan/memory/buffer.h"

namespace bench::vulkan {

class StagedCopies {
 public:
  explicit StagedCopies(const Context& context);

  // Blocking. Offsets and sizes in bytes, multiples of 4, inside the buffer: else Error. Between two chunks, Interrupted.
  void write(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, const Device::Producer& produce);
  void read(const DeviceBuffer& from, std::uint64_t offset, std::uint64_t bytes, const Device::Consumer& consume);
  void fill(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word);

 private:
  // While the device copies from or to one slot, the host copies in the other.
  struct Slot {
    explicit Slot(const Context& context);
    void submit();
    void complete(std::string_view what);

    double expected_s;  // of the copies in both slots
    StagingBuffer staging;
    CommandSlot commands;
  };
  const Context& context_;
  Slot slots_[2];
};

}  // namespace bench::vulkan
