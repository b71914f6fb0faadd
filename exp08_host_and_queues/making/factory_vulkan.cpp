// Vulkan's factory: pipelines, allocations, descriptor sets.
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "core/base/watchdog.h"
#include "exp08_kernels.h"
#include "factory.h"
#include "params.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/memory/buffer.h"

namespace {

using bench::vulkan::Context;

constexpr double kMakingS = 10;
constexpr std::uint64_t kBlockBytes = 1ULL << 30;  // of memory that buffers are bound in
constexpr std::uint32_t kBindings = 4;             // of a descriptor set
constexpr std::uint32_t kWritten = 0xa5a5a5a5;
constexpr vk::BufferUsageFlags kUsage =
    vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eTransferSrc | vk::BufferUsageFlagBits::eTransferDst;

// All that a program makes for one kernel whose buffers come by address.
struct Made {
  vk::raii::PipelineCache cache{nullptr};
  vk::raii::ShaderModule module{nullptr};
  vk::raii::PipelineLayout layout{nullptr};
  vk::raii::Pipeline pipeline{nullptr};
};

Made make_pipeline(const Context& context, const bench::KernelImages& images, std::uint32_t mark,
                   std::span<const std::uint8_t> known) {
  const vk::raii::Device& device = context.device();
  Made made;
  made.cache = BENCH_VK(device.createPipelineCache({.initialDataSize = known.size(), .pInitialData = known.data()}));
  made.module = BENCH_VK(device.createShaderModule(
      {.codeSize = images.spirv.size(), .pCode = reinterpret_cast<const std::uint32_t*>(images.spirv.data())}));
  const vk::PushConstantRange address{
      .stageFlags = vk::ShaderStageFlagBits::eCompute, .offset = 0, .size = sizeof(std::uint64_t)};
  made.layout = BENCH_VK(device.createPipelineLayout({.pushConstantRangeCount = 1, .pPushConstantRanges = &address}));
  const std::array<std::uint32_t, 2> constants = {EXP08_MADE_BLOCK, mark};
  const std::array<vk::SpecializationMapEntry, 2> entries = {
      vk::SpecializationMapEntry{.constantID = 0, .offset = 0, .size = sizeof(std::uint32_t)},
      vk::SpecializationMapEntry{.constantID = 1, .offset = sizeof(std::uint32_t), .size = sizeof(std::uint32_t)}};
  const vk::SpecializationInfo specialization{
      .mapEntryCount = entries.size(), .pMapEntries = entries.data(), .dataSize = sizeof constants, .pData = constants.data()};
  const vk::ComputePipelineCreateInfo info{.stage = {.stage = vk::ShaderStageFlagBits::eCompute,
                                                     .module = *made.module,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &specialization},
                                           .layout = *made.layout};
  made.pipeline = BENCH_VK(device.createComputePipeline(made.cache, info), "kernel {}", images.stem);
  return made;
}

struct Allocated {
  vk::raii::DeviceMemory memory{nullptr};  // empty for a part of a block
  vk::raii::Buffer buffer{nullptr};
};

class VulkanFactory final : public Factory {
 public:
  explicit VulkanFactory(const Context& context) : context_(context), slot_(context) {}

  double make(From from, std::string_view stem, std::uint32_t mark) override {
    if (from == From::kNvrtc) throw bench::Skip("NVRTC is CUDA's; glslang made the SPIR-V when the suite was built");
    const bench::KernelImages& images = bench::find_kernel(bench::kernels::exp08(), stem);
    const bench::Deadline deadline("the making of a pipeline", kMakingS, bench::WaitFor::kDriver);
    std::vector<std::uint8_t>* known = nullptr;
    if (from == From::kOwnCache) {
      known = &known_[std::string(stem)];
      if (known->empty()) *known = BENCH_VK(make_pipeline(context_, images, mark, {}).cache.getData());
    }
    made_ = {};
    const auto begin = HostClock::now();
    made_ = make_pipeline(context_, images, mark,
                          known != nullptr ? std::span<const std::uint8_t>(*known) : std::span<const std::uint8_t>());
    return ns_between(begin, HostClock::now());
  }

  void run(const bench::Buffer& words, std::uint32_t blocks) override {
    const std::uint64_t address = bench::vulkan::device_buffer(words).address();
    const vk::raii::CommandBuffer& commands = slot_.begin(true);
    commands.bindPipeline(vk::PipelineBindPoint::eCompute, *made_.pipeline);
    commands.pushConstants<std::uint64_t>(*made_.layout, vk::ShaderStageFlagBits::eCompute, 0, address);
    commands.dispatch(blocks, 1, 1);
    slot_.run("a made kernel", context_.expected_s(1));
  }

  bench::HostTimes allocate(Allocation how, std::uint64_t bytes) override {
    prepare(how, bytes);
    const bench::Deadline deadline("an allocation", context_.expected_s(0));
    const auto begin = HostClock::now();
    std::optional<Allocated> made = get(how, bytes);
    const auto allocated = HostClock::now();
    made.reset();
    return {ns_between(begin, HostClock::now()), ns_between(begin, allocated)};
  }

  void check_allocation(Allocation how, std::uint64_t bytes) override {
    prepare(how, bytes);
    const Allocated made = get(how, bytes);
    const bench::vulkan::StagingBuffer ends(context_, 2 * sizeof(std::uint32_t));
    const vk::raii::CommandBuffer& commands = slot_.begin(true);
    commands.fillBuffer(*made.buffer, 0, bytes, kWritten);
    bench::vulkan::full_barrier(commands);
    const std::array<vk::BufferCopy, 2> copies = {
        vk::BufferCopy{.srcOffset = 0, .dstOffset = 0, .size = sizeof(std::uint32_t)},
        vk::BufferCopy{
            .srcOffset = bytes - sizeof(std::uint32_t), .dstOffset = sizeof(std::uint32_t), .size = sizeof(std::uint32_t)}};
    commands.copyBuffer(*made.buffer, ends.handle(), copies);
    bench::vulkan::memory_barrier(commands, vk::PipelineStageFlagBits2::eCopy, vk::AccessFlagBits2::eTransferWrite,
                                  vk::PipelineStageFlagBits2::eHost, vk::AccessFlagBits2::eHostRead);
    slot_.run("a fill of an allocation", context_.expected_s(1));
    std::array<std::uint32_t, 2> found{};
    std::memcpy(found.data(), ends.host().data(), sizeof found);
    if (found[0] != kWritten || found[1] != kWritten) {
      throw bench::Error("wrong output: an allocation of {} bytes does not hold what was written", bytes);
    }
  }

  bench::HostTimes descriptor_sets(Sets what, std::uint32_t count) override {
    const vk::raii::Device& device = context_.device();
    if (!*set_layout_) {
      std::array<vk::DescriptorSetLayoutBinding, kBindings> bindings;
      for (std::uint32_t i = 0; i < kBindings; ++i) {
        bindings[i] = {.binding = i,
                       .descriptorType = vk::DescriptorType::eStorageBuffer,
                       .descriptorCount = 1,
                       .stageFlags = vk::ShaderStageFlagBits::eCompute};
      }
      set_layout_ = BENCH_VK(device.createDescriptorSetLayout({.bindingCount = kBindings, .pBindings = bindings.data()}));
      described_ = std::make_unique<bench::vulkan::DeviceBuffer>(context_, 1 << 16, "described");
    }
    if (what == Sets::kPool) {
      const auto begin = HostClock::now();
      { const vk::raii::DescriptorPool pool = make_pool(count); }
      const double ns = ns_between(begin, HostClock::now());
      return {ns, ns};
    }
    const vk::raii::DescriptorPool pool = make_pool(count);
    const std::vector<vk::DescriptorSetLayout> layouts(count, *set_layout_);
    const auto allocate = [&](std::uint32_t number) {
      return BENCH_VK(
          (*device).allocateDescriptorSets(
              {.descriptorPool = *pool, .descriptorSetCount = number, .pSetLayouts = layouts.data()}, *device.getDispatcher()),
          "{} sets", number);
    };
    std::vector<vk::DescriptorSet> sets;
    const auto begin = HostClock::now();
    if (what == Sets::kOneByOne) {
      for (std::uint32_t i = 0; i < count; ++i) sets.push_back(allocate(1).front());
    } else {
      sets = allocate(count);
    }
    const double allocated_ns = ns_between(begin, HostClock::now());
    if (what != Sets::kWritten) return {allocated_ns, allocated_ns};
    const auto writing = HostClock::now();
    const vk::DescriptorBufferInfo buffer{.buffer = described_->handle(), .offset = 0, .range = VK_WHOLE_SIZE};
    const std::array<vk::DescriptorBufferInfo, kBindings> buffers = {buffer, buffer, buffer, buffer};
    for (const vk::DescriptorSet set : sets) {
      const vk::WriteDescriptorSet write{.dstSet = set,
                                         .dstBinding = 0,
                                         .descriptorCount = kBindings,  // goes on into the next bindings, which are alike
                                         .descriptorType = vk::DescriptorType::eStorageBuffer,
                                         .pBufferInfo = buffers.data()};
      device.updateDescriptorSets(write, {});
    }
    const double ns = ns_between(writing, HostClock::now());
    return {ns, ns};
  }

 private:
  vk::raii::DescriptorPool make_pool(std::uint32_t sets) const {
    const vk::DescriptorPoolSize size{.type = vk::DescriptorType::eStorageBuffer, .descriptorCount = sets * kBindings};
    return BENCH_VK(context_.device().createDescriptorPool({.maxSets = sets, .poolSizeCount = 1, .pPoolSizes = &size}),
                    "{} sets", sets);
  }

  vk::raii::Buffer make_buffer(std::uint64_t bytes) const {
    return BENCH_VK(context_.device().createBuffer({.size = bytes, .usage = kUsage}), "{} bytes", bytes);
  }

  // Before the clock starts: the memory type, and the block at its first use.
  void prepare(Allocation how, std::uint64_t bytes) {
    const bool from_block = how != Allocation::kDedicated;
    if (from_block && block_bytes_ >= bytes) return;
    block_ = nullptr;
    block_bytes_ = 0;
    const std::uint64_t wanted = from_block && !context_.info().is_cpu ? std::max(bytes, kBlockBytes) : bytes;
    const vk::MemoryRequirements needs = make_buffer(wanted).getMemoryRequirements();
    type_ = bench::vulkan::choose_memory_type(
        context_, "allocated", {.bytes = needs.size, .kinds = bench::vulkan::device_local(), .allowed = needs.memoryTypeBits});
    if (!from_block) return;
    block_ = BENCH_VK(context_.device().allocateMemory({.allocationSize = needs.size, .memoryTypeIndex = type_}), "{} bytes",
                      needs.size);
    block_bytes_ = wanted;
  }

  Allocated get(Allocation how, std::uint64_t bytes) const {
    Allocated made;
    made.buffer = make_buffer(bytes);
    const vk::MemoryRequirements needs = made.buffer.getMemoryRequirements();
    if (how == Allocation::kDedicated) {
      const vk::MemoryDedicatedAllocateInfo dedicated{.buffer = *made.buffer};
      made.memory = BENCH_VK(
          context_.device().allocateMemory({.pNext = &dedicated, .allocationSize = needs.size, .memoryTypeIndex = type_}),
          "{} bytes", needs.size);
    }
    BENCH_VK(made.buffer.bindMemory(how == Allocation::kDedicated ? *made.memory : *block_, 0));
    return made;
  }

  const Context& context_;
  bench::vulkan::CommandSlot slot_;
  Made made_;
  std::map<std::string, std::vector<std::uint8_t>>
      known_;  // pipeline caches' data, as an application would keep them in a file
  vk::raii::DeviceMemory block_{nullptr};
  std::uint64_t block_bytes_ = 0;
  std::uint32_t type_ = 0;  // of memory
  vk::raii::DescriptorSetLayout set_layout_{nullptr};
  std::unique_ptr<bench::vulkan::DeviceBuffer> described_;
};

}  // namespace

std::unique_ptr<Factory> vulkan_factory(bench::Device& device) {
  return std::make_unique<VulkanFactory>(bench::vulkan::vulkan_device(device).context());
}
