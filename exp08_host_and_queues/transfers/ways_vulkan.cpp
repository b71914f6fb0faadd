// Vulkan's ways: every kind of memory that the host sees, through three engines.
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "../vulkan_submission.h"
#include "core/base/watchdog.h"
#include "params.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/buffer.h"
#include "ways.h"

namespace {

using bench::vulkan::Context;
using Access = vk::AccessFlagBits2;
using Flag = vk::MemoryPropertyFlagBits;
using Stage = vk::PipelineStageFlagBits2;

constexpr double kLowBytesPerS = 0.2e9;
constexpr vk::BufferUsageFlags kUsage = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst |
                                        vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress;

// Of the types that are coherent, which is all of NVIDIA's: the first with what is required and without what is not wanted.
struct Wish {
  vk::MemoryPropertyFlags required;
  vk::MemoryPropertyFlags unwanted;
};
Wish wish_of(HostMemory kind) {
  const vk::MemoryPropertyFlags seen = Flag::eHostVisible | Flag::eHostCoherent;
  if (kind == HostMemory::kCached || kind == HostMemory::kCachedStaging) return {seen | Flag::eHostCached, {}};
  if (kind == HostMemory::kUncached || kind == HostMemory::kUncachedStaging)
    return {seen, Flag::eHostCached | Flag::eDeviceLocal};
  return {seen | Flag::eDeviceLocal, {}};
}

// One buffer in memory of one type, mapped for as long as it lives.
struct HostBuffer {
  std::uint32_t type = 0;
  vk::raii::DeviceMemory memory{nullptr};
  vk::raii::Buffer buffer{nullptr};
  std::span<std::byte> host;
  vk::DeviceAddress address = 0;
};

std::uint32_t choose_type(const Context& context, HostMemory kind, std::uint32_t allowed) {
  const Wish wish = wish_of(kind);
  // Where one kind of memory is both the host's and the GPU's, that is the host's, too: so the second look.
  for (const vk::MemoryPropertyFlags unwanted : {wish.unwanted | Flag::eDeviceLocal, wish.unwanted}) {
    for (std::uint32_t i = 0; i < context.memory().memoryTypeCount; ++i) {
      const vk::MemoryPropertyFlags flags = context.memory().memoryTypes[i].propertyFlags;
      const bool fits = (flags & wish.required) == wish.required && !(flags & (unwanted & ~wish.required));
      if ((allowed >> i & 1U) != 0 && fits) return i;
    }
  }
  throw bench::Skip("{} has no memory type with {}{}", context.info().name, vk::to_string(wish.required),
                    wish.unwanted ? fmt::format(" and without {}", vk::to_string(wish.unwanted)) : "");
}

HostBuffer make_buffer(const Context& context, HostMemory kind, std::uint64_t bytes) {
  const bench::Deadline deadline("an allocation for the host", context.expected_s(static_cast<double>(bytes) / kLowBytesPerS));
  const std::vector<std::uint32_t> families = context.queue_families();
  const bool several = families.size() > 1;
  HostBuffer made;
  made.buffer = BENCH_VK(
      context.device().createBuffer({.size = bytes,
                                     .usage = kUsage,
                                     .sharingMode = several ? vk::SharingMode::eConcurrent : vk::SharingMode::eExclusive,
                                     .queueFamilyIndexCount = several ? static_cast<std::uint32_t>(families.size()) : 0,
                                     .pQueueFamilyIndices = families.data()}),
      "{} bytes", bytes);
  const vk::MemoryRequirements requirements = made.buffer.getMemoryRequirements();
  made.type = choose_type(context, kind, requirements.memoryTypeBits);
  const vk::MemoryDedicatedAllocateInfo dedicated{.buffer = *made.buffer};
  const vk::MemoryAllocateFlagsInfo addressable{.pNext = &dedicated, .flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
  made.memory = BENCH_VK(context.device().allocateMemory(
                             {.pNext = &addressable, .allocationSize = requirements.size, .memoryTypeIndex = made.type}),
                         "{} bytes of memory type {}", requirements.size, made.type);
  BENCH_VK(made.buffer.bindMemory(*made.memory, 0));
  made.host = {static_cast<std::byte*>(BENCH_VK(made.memory.mapMemory(0, VK_WHOLE_SIZE))), bytes};
  made.address = context.device().getBufferAddress({.buffer = *made.buffer});
  return made;
}

// The addresses of move_words' push constants.
struct Push {
  std::uint64_t from;
  std::uint64_t to;
  MoveParams params;
  std::uint32_t unused = 0;  // C++ rounds the struct up to its alignment
};

class VulkanTransfer final : public Transfer {
 public:
  VulkanTransfer(const Context& context, const HostBuffer& host, const Way& way, const bench::vulkan::ComputePipeline* kernel)
      : submission_(context, way.engine == Engine::kCopyEngine ? context.transfer_queue().queue : context.queue(),
                    way.engine == Engine::kCopyEngine ? context.transfer_queue().family : context.queue_family(),
                    static_cast<double>(way.bytes) / kLowBytesPerS) {
    record(submission_.begin(), host, way, kernel);
    submission_.end();
  }

  void submit() override { submission_.submit(); }
  void wait(bool sleeps) override { submission_.wait(sleeps); }

 private:
  // Host writes before a submission are seen by it (Vulkan 1.3, section 7.9); what it writes the host sees by the last barrier.
  static void record(const vk::raii::CommandBuffer& commands, const HostBuffer& host, const Way& way,
                     const bench::vulkan::ComputePipeline* kernel) {
    const bench::vulkan::DeviceBuffer& device = bench::vulkan::device_buffer(*way.buffer);
    const bool up = way.direction == Direction::kUp;
    const auto stage = kernel != nullptr ? Stage::eComputeShader : Stage::eCopy;
    const auto written = kernel != nullptr ? Access::eShaderStorageWrite : Access::eTransferWrite;
    const vk::AccessFlags2 used = kernel != nullptr ? Access::eShaderStorageRead | Access::eShaderStorageWrite
                                                    : Access::eTransferRead | Access::eTransferWrite;
    bench::vulkan::memory_barrier(commands, Stage::eAllCommands, Access::eMemoryWrite, stage, used);
    if (kernel != nullptr) {
      const std::uint64_t there = host.address + way.host_offset;
      const std::uint64_t here = device.address() + way.buffer_offset;
      const Push push = {up ? there : here, up ? here : there, {static_cast<std::uint32_t>(way.bytes / 4)}};
      commands.bindPipeline(vk::PipelineBindPoint::eCompute, kernel->handle());
      const auto bytes = std::as_bytes(std::span(&push, 1)).first(offsetof(Push, unused));
      commands.pushConstants<std::byte>(kernel->layout(), vk::ShaderStageFlagBits::eCompute, 0,
                                        {static_cast<std::uint32_t>(bytes.size()), bytes.data()});
      commands.dispatch(move_blocks(way.bytes), 1, 1);
    } else {
      const std::uint64_t from = up ? way.host_offset : way.buffer_offset;
      const std::uint64_t to = up ? way.buffer_offset : way.host_offset;
      commands.copyBuffer(up ? *host.buffer : device.handle(), up ? device.handle() : *host.buffer,
                          vk::BufferCopy{.srcOffset = from, .dstOffset = to, .size = way.bytes});
    }
    if (up) {
      bench::vulkan::memory_barrier(commands, stage, written, Stage::eAllCommands, Access::eMemoryRead | Access::eMemoryWrite);
    } else {
      bench::vulkan::memory_barrier(commands, stage, written, Stage::eHost, Access::eHostRead | Access::eHostWrite);
    }
  }

  Submission submission_;
};

class VulkanWays final : public Ways {
 public:
  explicit VulkanWays(const Context& context) : context_(context) {}

  std::span<std::byte> memory(bench::Workbench& bench, HostMemory kind, std::uint64_t bytes) override {
    if (kind == HostMemory::kPageable) throw bench::Skip("Vulkan copies from and to memory of its own");
    HostBuffer& known = buffers_[kind];
    if (known.host.size() >= bytes) return known.host;
    known = {};
    known = make_buffer(context_, kind, bytes);
    fill(bench, known.host);
    return known.host;
  }

  std::string describe(HostMemory kind) override {
    const std::uint32_t type = buffers_.at(kind).type;
    return fmt::format("memory type {} {}", type, vk::to_string(context_.memory().memoryTypes[type].propertyFlags));
  }

  std::unique_ptr<Transfer> prepare(bench::Workbench& bench, const Way& way) override {
    const auto* kernel = way.engine == Engine::kKernel ? &bench::vulkan::compute_pipeline(move_kernel(bench)) : nullptr;
    return std::make_unique<VulkanTransfer>(context_, buffers_.at(way.memory), way, kernel);
  }

 private:
  const Context& context_;
  std::map<HostMemory, HostBuffer> buffers_;
};

}  // namespace

std::unique_ptr<Ways> vulkan_ways(bench::Device& device) {
  return std::make_unique<VulkanWays>(bench::vulkan::vulkan_device(device).context());
}
