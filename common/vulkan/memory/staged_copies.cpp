#include "vulkan/memory/staged_copies.h"

#include <algorithm>

#include "core/base/process.h"
#include "core/base/watchdog.h"

namespace bench::vulkan {
namespace {

constexpr std::uint64_t kStagingBytes = 32ULL << 20;  // 32 MiB: over 1 ms of PCIe 5.0 x16, far more than a submission costs
constexpr double kLowBytesPerS = 1e9;                 // a tenth of what PCIe 3.0 x16 does
constexpr double kLowFillBytesPerS = 10e9;            // a tenth of a slow GPU's memory

}  // namespace

StagedCopies::Slot::Slot(const Context& context)
    : expected_s(context.expected_s(2 * kStagingBytes / kLowBytesPerS)), staging(context, kStagingBytes), commands(context) {}

void StagedCopies::Slot::submit() {
  const Deadline deadline("a submission", expected_s);
  commands.ready();
  commands.submit();
}

void StagedCopies::Slot::complete(std::string_view what) {
  const Deadline deadline(what, expected_s);
  commands.wait(what);
}

StagedCopies::StagedCopies(const Context& context) : context_(context), slots_{Slot(context), Slot(context)} {}

void StagedCopies::write(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, const Device::Producer& produce) {
  to.check_words(offset, bytes);
  const std::uint64_t chunks = (bytes + kStagingBytes - 1) / kStagingBytes;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    Slot& slot = slots_[i % 2];
    if (i >= 2) {
      slot.complete("an upload");
    }
    throw_if_interrupted();
    const std::uint64_t done = i * kStagingBytes;
    const std::uint64_t part = std::min(kStagingBytes, bytes - done);
    produce(done, slot.staging.host().first(part));  // visible to the device by the submission
    const vk::raii::CommandBuffer& commands = slot.commands.begin(true);
    to.acquire(context_, commands);
    commands.copyBuffer(slot.staging.handle(), to.handle(), vk::BufferCopy{.dstOffset = offset + done, .size = part});
    to.release(context_, commands);
    slot.commands.end();
    slot.submit();
  }
  for (std::uint64_t i = chunks < 2 ? 0 : chunks - 2; i < chunks; ++i) {
    slots_[i % 2].complete("an upload");
  }
}

void StagedCopies::read(const DeviceBuffer& from, std::uint64_t offset, std::uint64_t bytes, const Device::Consumer& consume) {
  from.check_words(offset, bytes);
  const std::uint64_t chunks = (bytes + kStagingBytes - 1) / kStagingBytes;
  const auto part = [&](std::uint64_t i) { return std::min(kStagingBytes, bytes - i * kStagingBytes); };
  // Chunk i is asked for while the host works on chunk i - 1.
  for (std::uint64_t i = 0; i <= chunks; ++i) {
    if (i < chunks) {
      Slot& slot = slots_[i % 2];
      const vk::raii::CommandBuffer& commands = slot.commands.begin(true);
      from.acquire(context_, commands);
      commands.copyBuffer(from.handle(), slot.staging.handle(),
                          vk::BufferCopy{.srcOffset = offset + i * kStagingBytes, .size = part(i)});
      memory_barrier(commands, vk::PipelineStageFlagBits2::eCopy, vk::AccessFlagBits2::eTransferWrite,
                     vk::PipelineStageFlagBits2::eHost, vk::AccessFlagBits2::eHostRead);
      from.release(context_, commands);
      slot.commands.end();
      slot.submit();
    }
    if (i > 0) {
      Slot& slot = slots_[(i - 1) % 2];
      slot.complete("a download");
      throw_if_interrupted();
      consume((i - 1) * kStagingBytes, slot.staging.host().first(part(i - 1)));
    }
  }
}

void StagedCopies::fill(const DeviceBuffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) {
  to.check_words(offset, bytes);
  if (bytes == 0) {
    return;
  }
  CommandSlot& slot = slots_[0].commands;
  const vk::raii::CommandBuffer& commands = slot.begin(true);
  to.acquire(context_, commands);
  commands.fillBuffer(to.handle(), offset, bytes, word);
  to.release(context_, commands);
  slot.run("a fill", context_.expected_s(static_cast<double>(bytes) / kLowFillBytesPerS));
}

}  // namespace bench::vulkan
