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
constexpr vk::BufferUsageFlags kUsage = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst |
                                        vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress;

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
  return {{.required = seen | Flag::eDeviceLocal}};
}

// The addresses of move_words' push constants.
struct Push {
  std::uint64_t from;
  std::uint64_t to;
  MoveParams params;
  std::uint32_t unused = 0;  // C++ rounds the struct up to its alignment
};

bool is_imported(HostMemory kind) { return kind == HostMemory::kImported || kind == HostMemory::kImportedStaging; }

// The application's own pages as a buffer's memory. Source: Vulkan 1.3, VkImportMemoryHostPointerInfoEXT.
class ImportedBuffer {
 public:
  ImportedBuffer(const Context& context, std::uint64_t bytes) : pages_(bytes) {
    if (!context.features().host_pointers) throw bench::Skip("{} lacks VK_EXT_external_memory_host", context.info().name);
    using Properties = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT;
    const auto wanted = bench::vulkan::properties_of<Properties>(context.physical_device()).minImportedHostPointerAlignment;
    if (wanted > Pages::kAlignment)
      throw bench::Skip("{} imports memory aligned to {} bytes, ours is to {}", context.info().name, wanted, Pages::kAlignment);
    const bench::Deadline deadline("the import of memory", context.expected_s(static_cast<double>(bytes) / kLowBytesPerS));
    constexpr auto kOfHost = vk::ExternalMemoryHandleTypeFlagBits::eHostAllocationEXT;
    const std::vector<std::uint32_t> families = context.queue_families();
    const bool several = families.size() > 1;
    const vk::ExternalMemoryBufferCreateInfo external{.handleTypes = kOfHost};
    buffer_ = BENCH_VK(
        context.device().createBuffer({.pNext = &external,
                                       .size = pages_.all().size(),
                                       .usage = vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst,
                                       .sharingMode = several ? vk::SharingMode::eConcurrent : vk::SharingMode::eExclusive,
                                       .queueFamilyIndexCount = several ? static_cast<std::uint32_t>(families.size()) : 0,
                                       .pQueueFamilyIndices = families.data()}),
        "{} imported bytes", bytes);
    const vk::MemoryRequirements needs = buffer_.getMemoryRequirements();
    const std::span<std::byte> all = pages_.all();
    const auto host = BENCH_VK(context.device().getMemoryHostPointerPropertiesEXT(kOfHost, all.data()));
    const vk::PhysicalDeviceMemoryProperties memory = context.physical_device().getMemoryProperties();
    const auto fits = [&](std::uint32_t i) {
      const vk::MemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      return (needs.memoryTypeBits & host.memoryTypeBits & 1U << i) != 0 && (flags & Flag::eHostCoherent);
    };
    while (type_ < memory.memoryTypeCount && !fits(type_)) ++type_;
    if (type_ == memory.memoryTypeCount || needs.size > all.size())
      throw bench::Skip("{} has no coherent memory type for {} imported bytes", context.info().name, needs.size);
    const vk::ImportMemoryHostPointerInfoEXT import{.handleType = kOfHost, .pHostPointer = all.data()};
    memory_ =
        BENCH_VK(context.device().allocateMemory({.pNext = &import, .allocationSize = all.size(), .memoryTypeIndex = type_}),
                 "{} imported bytes", all.size());
    BENCH_VK(buffer_.bindMemory(*memory_, 0));
  }

  vk::Buffer handle() const { return *buffer_; }
  std::span<std::byte> host() const { return pages_.all(); }
  std::uint32_t type() const { return type_; }

 private:
  Pages pages_;  // outlives what is made of it
  vk::raii::DeviceMemory memory_{nullptr};
  vk::raii::Buffer buffer_{nullptr};
  std::uint32_t type_ = 0;
};

// The host's end of a transfer.
struct HostEnd {
  vk::Buffer buffer;
  vk::DeviceAddress address;  // for kernels; 0: none
};

class VulkanTransfer final : public PreparedTransfer {
 public:
  VulkanTransfer(const Context& context, const HostEnd& host, const TransferPath& way,
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
  static void record(const vk::raii::CommandBuffer& commands, const HostEnd& host, const TransferPath& way,
                     const bench::vulkan::ComputePipeline* kernel) {
    const bench::vulkan::DeviceBuffer& device = bench::vulkan::device_buffer(*way.buffer);
    const bool up = way.direction == Direction::kUp;
    const auto stage = kernel != nullptr ? Stage::eComputeShader : Stage::eCopy;
    const auto written = kernel != nullptr ? Access::eShaderStorageWrite : Access::eTransferWrite;
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
      commands.copyBuffer(up ? host.buffer : device.handle(), up ? device.handle() : host.buffer,
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
    if (is_imported(kind)) {
      const auto imported = imported_.find(kind);
      if (imported != imported_.end() && imported->second.host().size() >= bytes) return imported->second.host();
      imported_.erase(kind);
      const ImportedBuffer& made = imported_.try_emplace(kind, context_, bytes).first->second;
      fill(bench, made.host());
      return made.host();
    }
    const auto known = buffers_.find(kind);
    if (known != buffers_.end() && known->second.host().size() >= bytes) return known->second.host();
    buffers_.erase(kind);
    const auto made = buffers_.try_emplace(
        kind, context_,
        bench::vulkan::BufferWish{.bytes = bytes, .label = to_string(kind), .usage = kUsage, .kinds = kinds_of(kind)});
    fill(bench, made.first->second.host());
    return made.first->second.host();
  }

  std::string describe(HostMemory kind) override {
    const std::uint32_t type = is_imported(kind) ? imported_.at(kind).type() : buffers_.at(kind).type();
    const vk::PhysicalDeviceMemoryProperties memory = context_.physical_device().getMemoryProperties();
    return fmt::format("memory type {} {}", type, vk::to_string(memory.memoryTypes[type].propertyFlags));
  }

  std::unique_ptr<PreparedTransfer> prepare(bench::Workbench& bench, const TransferPath& way) override {
    const auto* kernel = way.engine == Engine::kKernel ? &bench::vulkan::compute_pipeline(move_kernel(bench)) : nullptr;
    if (is_imported(way.memory)) {
      if (kernel != nullptr) throw bench::Skip("imported memory has no device address here");
      return std::make_unique<VulkanTransfer>(context_, HostEnd{imported_.at(way.memory).handle(), 0}, way, kernel);
    }
    const bench::vulkan::MappedBuffer& host = buffers_.at(way.memory);
    return std::make_unique<VulkanTransfer>(context_, HostEnd{host.handle(), host.address()}, way, kernel);
  }

 private:
  const Context& context_;
  std::map<HostMemory, bench::vulkan::MappedBuffer> buffers_;
  std::map<HostMemory, ImportedBuffer> imported_;
};

}  // namespace

std::unique_ptr<TransferSide> vulkan_transfers(bench::Device& device) {
  return std::make_unique<VulkanWays>(bench::vulkan::vulkan_device(device).context());
}
