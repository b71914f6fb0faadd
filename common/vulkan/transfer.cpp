#include "vulkan/transfer.h"

#include <algorithm>

namespace bench::vulkan {
namespace {

constexpr std::uint64_t kStagingBytes = 32ULL << 20;  // 32 MiB: over 1 ms of PCIe 5.0 x16, far more than a submission costs

void check_range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) {
  if (offset % 4 != 0 || bytes % 4 != 0) {
    throw Error("transfer of {} bytes at offset {}: both must be multiples of 4", bytes, offset);
  }
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset) {
    throw Error("transfer of {} bytes at offset {} is outside a buffer of {} bytes", bytes, offset, buffer.bytes());
  }
}

}  // namespace

Transfer::Slot::Slot(const Context& context) : staging(context, kStagingBytes), commands(context) {}

Transfer::Transfer(const Context& context) : slots_{Slot(context), Slot(context)} {}

void Transfer::write(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, const Device::Producer& produce) {
  check_range(to, offset, bytes);
  const std::uint64_t chunks = (bytes + kStagingBytes - 1) / kStagingBytes;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    Slot& slot = slots_[i % 2];
    if (i >= 2) {
      slot.commands.wait("an upload");
    }
    const std::uint64_t done = i * kStagingBytes;
    const std::uint64_t part = std::min(kStagingBytes, bytes - done);
    produce(done, slot.staging.host().first(part));  // visible to the device by the submission
    const vk::raii::CommandBuffer& commands = slot.commands.begin(true);
    commands.copyBuffer(slot.staging.handle(), to.handle(), vk::BufferCopy{.dstOffset = offset + done, .size = part});
    slot.commands.end();
    slot.commands.submit();
  }
  for (std::uint64_t i = chunks < 2 ? 0 : chunks - 2; i < chunks; ++i) {
    slots_[i % 2].commands.wait("an upload");
  }
}

void Transfer::read(const DeviceBuffer& from, std::uint64_t offset, std::uint64_t bytes, const Device::Consumer& consume) {
  check_range(from, offset, bytes);
  const std::uint64_t chunks = (bytes + kStagingBytes - 1) / kStagingBytes;
  const auto part = [&](std::uint64_t i) { return std::min(kStagingBytes, bytes - i * kStagingBytes); };
  // Chunk i is asked for while the host works on chunk i - 1.
  for (std::uint64_t i = 0; i <= chunks; ++i) {
    if (i < chunks) {
      Slot& slot = slots_[i % 2];
      const vk::raii::CommandBuffer& commands = slot.commands.begin(true);
      commands.copyBuffer(from.handle(), slot.staging.handle(),
                          vk::BufferCopy{.srcOffset = offset + i * kStagingBytes, .size = part(i)});
      memory_barrier(commands, vk::PipelineStageFlagBits2::eCopy, vk::AccessFlagBits2::eTransferWrite,
                     vk::PipelineStageFlagBits2::eHost, vk::AccessFlagBits2::eHostRead);
      slot.commands.end();
      slot.commands.submit();
    }
    if (i > 0) {
      Slot& slot = slots_[(i - 1) % 2];
      slot.commands.wait("a download");
      consume((i - 1) * kStagingBytes, slot.staging.host().first(part(i - 1)));
    }
  }
}

void Transfer::fill(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
  check_range(to, offset, bytes);
  if (bytes == 0) {
    return;
  }
  CommandSlot& slot = slots_[0].commands;
  slot.begin(true).fillBuffer(to.handle(), offset, bytes, word);
  slot.end();
  slot.submit();
  slot.wait("a fill");
}

}  // namespace bench::vulkan
