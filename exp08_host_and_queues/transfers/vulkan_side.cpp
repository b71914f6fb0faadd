// Vulkan's paths: every kind of memory that the host sees, through three engines.
#include <fmt/format.h>

#include <array>
#include <map>

#include "core/base/watchdog.h"
#include "pages.h"
#include "params.h"
#include "sides.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/buffer.h"

namespace {

using bench::vulkan::CommandSlot;
using bench::vulkan::Context;
using Access = vk::AccessFlagBits2;
using Flag = vk::MemoryPropertyFlagBits;
using Stage = vk::PipelineStageFlagBits2;

constexpr double kLowBytesPerS = 0.2e9;
constexpr vk::BufferUsageFlags kCopyUsage = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst;
constexpr vk::BufferUsageFlags kUsage =
    kCopyUsage | vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress;

// Of the types that are coherent, which is all of NVIDIA's. Where one kind of memory is both the host's and the GPU's, that is
// the host's, too: so the second kind.
std::vector<bench::vulkan::MemoryKind> kinds_of(HostMemory kind) {
  const vk::MemoryPropertyFlags seen = Flag::eHostVisible | Flag::eHostCoherent;
  if (kind == HostMemory::kCached || kind == HostMemory::kCachedStaging) {
    const vk::MemoryPropertyFlags cached = seen | Flag::eHostCached;
    return {{.required = cached, .unwanted = Flag::eDeviceLocal}, {.required = cached}};
  }
  if (kind == HostMemory::kUncached || kind == HostMemory::kUncachedStaging)
    return {{.required = seen, .unwanted = Flag::eHostCached | Flag::eDeviceLocal}};
  if (is_imported(kind)) return {{.required = seen}};
  return {{.required = seen | Flag::eDeviceLocal}};
}

// The addresses of move_words' push constants.
struct Push {
  std::uint64_t from;
  std::uint64_t to;
  MoveParams params;
  std::uint32_t unused = 0;  // C++ rounds the struct up to its alignment
};

class VulkanTransfer final : public PreparedTransfer {
 public:
  VulkanTransfer(const Context& context, const bench::vulkan::MappedBuffer& host, const TransferPath& way,
                 const bench::vulkan::ComputePipeline* kernel)
      : slot_(context, way.engine == Engine::kCopyEngine ? context.transfer_queue().queue : context.queue(),
              way.engine == Engine::kCopyEngine ? context.transfer_queue().family : context.queue_family()),
        expected_s_(context.expected_s(static_cast<double>(way.bytes) / kLowBytesPerS)) {
    record(slot_.begin(false, CommandSlot::Opening::kNone), host, way, kernel);
    slot_.end();
  }

  void ready() override { slot_.ready(); }
  void submit() override { slot_.submit(); }
  void wait(bool sleeps) override {
    const bench::Deadline deadline("a transfer", expected_s_);
    slot_.wait(deadline.what(), sleeps ? CommandSlot::Waiting::kSleeps : CommandSlot::Waiting::kPolls);
  }

 private:
  // Host writes before a submission are seen by it (Vulkan 1.3, section 7.9), and so is what ran before, for which the host has
  // waited; what an upload writes is seen by later submissions likewise (see common/vulkan/measure/subject.cpp). What a
  // download writes the host sees by the barrier alone (section 7.3, "Fences": a fence makes nothing visible to the host).
  static void record(const vk::raii::CommandBuffer& commands, const bench::vulkan::MappedBuffer& host, const TransferPath& way,
                     const bench::vulkan::ComputePipeline* kernel) {
    const bench::vulkan::DeviceBuffer& device = bench::vulkan::device_buffer(*way.buffer);
    const bool up = way.direction == Direction::kUp;
    const auto stage = kernel != nullptr ? Stage::eComputeShader : Stage::eCopy;
    const auto written = kernel != nullptr ? Access::eShaderStorageWrite : Access::eTransferWrite;
    if (kernel != nullptr) {
      const std::uint64_t there = host.address() + way.host_offset;
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
      commands.copyBuffer(up ? host.handle() : device.handle(), up ? device.handle() : host.handle(),
                          vk::BufferCopy{.srcOffset = from, .dstOffset = to, .size = way.bytes});
    }
    if (!up) bench::vulkan::memory_barrier(commands, stage, written, Stage::eHost, Access::eHostRead | Access::eHostWrite);
  }

  CommandSlot slot_;
  double expected_s_;
};

class VulkanWays final : public TransferSide {
 public:
  explicit VulkanWays(const Context& context) : context_(context) {}

  std::span<std::byte> memory(bench::Workbench& bench, HostMemory kind, std::uint64_t bytes) override {
    if (kind == HostMemory::kPageable) throw bench::Skip("Vulkan copies from and to memory of its own");
    const auto known = buffers_.find(kind);
    if (known != buffers_.end() && known->second.host().size() >= bytes) return known->second.host();
    buffers_.erase(kind);
    bench::vulkan::BufferWish wish{.bytes = bytes, .label = to_string(kind), .usage = kUsage, .kinds = kinds_of(kind)};
    if (is_imported(kind)) {
      pages_.erase(kind);
      wish.host_pages = pages_.try_emplace(kind, bytes).first->second.all();
      wish.bytes = wish.host_pages.size();
      wish.usage = kCopyUsage;
    }
    const auto made = buffers_.try_emplace(kind, context_, wish);
    fill(bench, made.first->second.host());
    return made.first->second.host();
  }

  std::string describe(HostMemory kind) override {
    const std::uint32_t type = buffers_.at(kind).type();
    const vk::PhysicalDeviceMemoryProperties memory = context_.physical_device().getMemoryProperties();
    return fmt::format("memory type {} {}", type, vk::to_string(memory.memoryTypes[type].propertyFlags));
  }

  std::unique_ptr<PreparedTransfer> prepare(bench::Workbench& bench, const TransferPath& way) override {
    const auto* kernel = way.engine == Engine::kKernel ? &bench::vulkan::compute_pipeline(move_kernel(bench)) : nullptr;
    const bench::vulkan::MappedBuffer& host = buffers_.at(way.memory);
    if (kernel != nullptr && host.address() == 0) throw bench::Skip("imported memory has no device address here");
    return std::make_unique<VulkanTransfer>(context_, host, way, kernel);
  }

 private:
  const Context& context_;
  std::map<HostMemory, Pages> pages_;  // outlive the buffers that are made of them
  std::map<HostMemory, bench::vulkan::MappedBuffer> buffers_;
};

}  // namespace

std::unique_ptr<TransferSide> vulkan_transfers(bench::Device& device) {
  return std::make_unique<VulkanWays>(bench::vulkan::vulkan_device(device).context());
}
