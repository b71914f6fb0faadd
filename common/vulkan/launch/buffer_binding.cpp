#include "vulkan/launch/buffer_binding.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/memory/buffer.h"

namespace bench::vulkan {
namespace {

using Type = vk::DescriptorType;

constexpr vk::ShaderStageFlagBits kStage = vk::ShaderStageFlagBits::eCompute;
constexpr vk::PipelineBindPoint kBindPoint = vk::PipelineBindPoint::eCompute;
constexpr std::uint32_t kSetsInPool = 256;

const ComputePipeline& pipeline_of(const Launch& launch) { return compute_pipeline(*launch.kernel); }

// The type of the descriptor of buffer `index`.
Type type_of(const KernelSpec& spec, std::size_t index) {
  if (spec.vulkan.binding == BufferBinding::kDynamicOffsets) return Type::eStorageBufferDynamic;
  return spec.vulkan.binding == BufferBinding::kUniform && index + 1 < spec.buffers ? Type::eUniformBuffer
                                                                                    : Type::eStorageBuffer;
}

// A launch's buffers as descriptors, and the writes that put them into a set.
class Descriptors {
 public:
  Descriptors(const Context& context, const Launch& launch) {
    const KernelSpec& spec = launch.kernel->spec();
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      // A uniform buffer may be larger than what a kernel sees of it.
      const std::uint64_t bytes = launch.buffers[i]->bytes();
      const std::uint64_t most = context.limits().maxUniformBufferRange;
      infos_.push_back({.buffer = device_buffer(*launch.buffers[i]).handle(),
                        .offset = 0,
                        .range = type_of(spec, i) == Type::eUniformBuffer ? std::min(bytes, most) : bytes});
    }
    const bool bindless = spec.vulkan.binding == BufferBinding::kBindless;
    for (std::uint32_t i = 0; i < infos_.size(); ++i) {
      writes_.push_back({.dstBinding = bindless ? 0 : i,
                         .dstArrayElement = bindless ? i : 0,
                         .descriptorCount = 1,
                         .descriptorType = type_of(spec, i),
                         .pBufferInfo = &infos_[i]});
    }
  }
  Descriptors(const Descriptors&) = delete;  // the writes point at the infos
  Descriptors& operator=(const Descriptors&) = delete;

  std::span<const vk::WriteDescriptorSet> writes(vk::DescriptorSet set = {}) {
    for (vk::WriteDescriptorSet& write : writes_) {
      write.dstSet = set;
    }
    return writes_;
  }

 private:
  std::vector<vk::DescriptorBufferInfo> infos_;
  std::vector<vk::WriteDescriptorSet> writes_;
};

// Sets of one layout, allocated one by one and given back all at once. Grows by pools of `sets`.
class SetPools {
 public:
  SetPools(const Context& context, const Launch& launch, std::uint32_t sets)
      : context_(context), layout_(pipeline_of(launch).set_layout()), sets_(sets) {
    const KernelSpec& spec = launch.kernel->spec();
    bindless_ = spec.vulkan.binding == BufferBinding::kBindless;
    for (std::size_t i = 0; i < spec.buffers; ++i) {
      sizes_.push_back({.type = type_of(spec, i), .descriptorCount = sets});
    }
    if (bindless_) {
      sizes_ = {{.type = Type::eStorageBuffer, .descriptorCount = sets * kBindlessSlots}};
    }
  }

  vk::DescriptorSet allocate() {
    if (used_ == pools_.size() * sets_) {
      add_pool();
    }
    const vk::DescriptorSetAllocateInfo info{
        .descriptorPool = *pools_[used_++ / sets_], .descriptorSetCount = 1, .pSetLayouts = &layout_};
    // release(): the pool was made without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT.
    return BENCH_VK(context_.device().allocateDescriptorSets(info)).front().release();
  }

  void reset() {
    for (const vk::raii::DescriptorPool& pool : pools_) {
      pool.reset();
    }
    used_ = 0;
  }

 private:
  void add_pool() {
    const vk::DescriptorPoolCreateInfo info{
        .flags = bindless_ ? vk::DescriptorPoolCreateFlagBits::eUpdateAfterBind : vk::DescriptorPoolCreateFlags{},
        .maxSets = sets_,
        .poolSizeCount = static_cast<std::uint32_t>(sizes_.size()),
        .pPoolSizes = sizes_.data()};
    pools_.push_back(BENCH_VK(context_.device().createDescriptorPool(info), "{} sets of {} descriptors", sets_, sizes_.size()));
  }

  const Context& context_;
  vk::DescriptorSetLayout layout_;
  std::uint32_t sets_;
  bool bindless_ = false;
  std::vector<vk::DescriptorPoolSize> sizes_;
  std::vector<vk::raii::DescriptorPool> pools_;
  std::size_t used_ = 0;
};

// kDescriptors, kUniform, and kDynamicOffsets of zero.
class SetBinder : public BufferBinder {
 public:
  SetBinder(const Context& context, const Launch& launch)
      : BufferBinder(launch),
        context_(context),
        descriptors_(context, launch),
        pool_(context, launch, 1),
        fresh_(context, launch, kSetsInPool),
        set_(pool_.allocate()) {
    if (launch.kernel->spec().vulkan.binding == BufferBinding::kDynamicOffsets) offsets_.resize(launch.buffers.size());
    context.device().updateDescriptorSets(descriptors_.writes(set_), {});
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.bindDescriptorSets(kBindPoint, layout(), 0, set_, offsets_);
  }

  void update_and_bind(const vk::raii::CommandBuffer& commands) override {
    const vk::DescriptorSet set = fresh_.allocate();
    context_.device().updateDescriptorSets(descriptors_.writes(set), {});
    commands.bindDescriptorSets(kBindPoint, layout(), 0, set, offsets_);
  }

  void restart() override { fresh_.reset(); }

 private:
  const Context& context_;
  Descriptors descriptors_;
  SetPools pool_;
  SetPools fresh_;
  vk::DescriptorSet set_;
  std::vector<std::uint32_t> offsets_;
};

// kPushDescriptors.
class PushBinder : public BufferBinder {
 public:
  PushBinder(const Context& context, const Launch& launch) : BufferBinder(launch), descriptors_(context, launch) {}

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.pushDescriptorSetKHR(kBindPoint, layout(), 0, descriptors_.writes());
  }

 private:
  Descriptors descriptors_;
};

// kDescriptorBuffer.
class DescriptorBufferBinder : public BufferBinder {
 public:
  DescriptorBufferBinder(const Context& context, const Launch& launch)
      : BufferBinder(launch), memory_(context, pipeline_of(launch).set_layout_bytes()) {
    const DescriptorWriter writer(context);
    for (std::uint32_t i = 0; i < launch.buffers.size(); ++i) {
      writer.write(device_buffer(*launch.buffers[i]).address(), launch.buffers[i]->bytes(),
                   memory_.host().subspan(pipeline_of(launch).binding_offset(i)));
    }
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.bindDescriptorBuffersEXT(
        vk::DescriptorBufferBindingInfoEXT{.address = memory_.address(), .usage = DescriptorMemory::kUsage});
    rebind(commands);
  }

  void rebind(const vk::raii::CommandBuffer& commands) override {
    const std::uint32_t which = 0;
    const vk::DeviceSize offset = 0;
    commands.setDescriptorBufferOffsetsEXT(kBindPoint, layout(), 0, which, offset);
  }

 private:
  DescriptorMemory memory_;
};

// kBindless.
class BindlessBinder : public BufferBinder {
 public:
  BindlessBinder(const Context& context, const Launch& launch)
      : BufferBinder(launch), pool_(context, launch, 1), set_(pool_.allocate()), indices_(launch.buffers.size()) {
    context.device().updateDescriptorSets(Descriptors(context, launch).writes(set_), {});
    std::iota(indices_.begin(), indices_.end(), 0U);
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.bindDescriptorSets(kBindPoint, layout(), 0, set_, {});
    rebind(commands);
  }

  void rebind(const vk::raii::CommandBuffer& commands) override {
    commands.pushConstants<std::uint32_t>(layout(), kStage, 0, indices_);
  }

 private:
  SetPools pool_;
  vk::DescriptorSet set_;
  std::vector<std::uint32_t> indices_;
};

// kAddress.
class AddressBinder : public BufferBinder {
 public:
  explicit AddressBinder(const Launch& launch) : BufferBinder(launch) {
    for (const Buffer* buffer : launch.buffers) {
      addresses_.push_back(device_buffer(*buffer).address());
    }
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.pushConstants<vk::DeviceAddress>(layout(), kStage, 0, addresses_);
  }

 private:
  std::vector<vk::DeviceAddress> addresses_;
};

// InterfaceBinder: VulkanLaunch::interface.
std::uint32_t last_set(const VulkanInterface& interface) {
  std::uint32_t last = 0;
  for (const VulkanInterface::Descriptor& one : interface.descriptors) last = std::max(last, one.set);
  return last;
}

Type type_of(const VulkanInterface::Descriptor& one) { return one.is_uniform ? Type::eUniformBuffer : Type::eStorageBuffer; }

// A set for each number that has a buffer.
class InterfaceBinder : public BufferBinder {
 public:
  InterfaceBinder(const Context& context, const Launch& launch) : BufferBinder(launch), pool_(nullptr) {
    const VulkanInterface& interface = *launch.kernel->spec().vulkan.interface;
    const auto count = static_cast<std::uint32_t>(interface.descriptors.size());
    const std::array<vk::DescriptorPoolSize, 2> sizes{
        {{.type = Type::eStorageBuffer, .descriptorCount = count}, {.type = Type::eUniformBuffer, .descriptorCount = count}}};
    const vk::DescriptorPoolCreateInfo info{
        .maxSets = count, .poolSizeCount = static_cast<std::uint32_t>(sizes.size()), .pPoolSizes = sizes.data()};
    if (count != 0) pool_ = BENCH_VK(context.device().createDescriptorPool(info), "{} descriptors", count);
    for (const VulkanInterface::Descriptor& one : interface.descriptors) {
      if (!sets_.contains(one.set)) sets_[one.set] = allocate(context, pipeline_of(launch).set_layout(one.set));
      const vk::DescriptorBufferInfo buffer{.buffer = device_buffer(*launch.buffers[one.buffer]).handle(),
                                            .offset = 0,
                                            .range = one.bytes != 0 ? one.bytes : VK_WHOLE_SIZE};
      const vk::WriteDescriptorSet write{.dstSet = sets_[one.set],
                                         .dstBinding = one.binding,
                                         .descriptorCount = 1,
                                         .descriptorType = type_of(one),
                                         .pBufferInfo = &buffer};
      context.device().updateDescriptorSets(write, {});
    }
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    for (const auto& [number, set] : sets_) commands.bindDescriptorSets(kBindPoint, layout(), number, set, {});
  }

 private:
  vk::DescriptorSet allocate(const Context& context, vk::DescriptorSetLayout layout) const {
    const vk::DescriptorSetAllocateInfo info{.descriptorPool = *pool_, .descriptorSetCount = 1, .pSetLayouts = &layout};
    // release(): as in SetPools.
    return BENCH_VK(context.device().allocateDescriptorSets(info)).front().release();
  }

  vk::raii::DescriptorPool pool_;
  std::map<std::uint32_t, vk::DescriptorSet> sets_;
};

vk::raii::DescriptorSetLayout make_set_layout(const Context& context, const KernelSpec& spec) {
  using Flag = vk::DescriptorBindingFlagBits;
  using LayoutFlag = vk::DescriptorSetLayoutCreateFlagBits;
  std::vector<vk::DescriptorSetLayoutBinding> bindings;
  std::vector<vk::DescriptorBindingFlags> flags;
  vk::DescriptorSetLayoutCreateFlags layout_flags;
  if (spec.vulkan.binding == BufferBinding::kBindless) {
    bindings.push_back(
        {.binding = 0, .descriptorType = Type::eStorageBuffer, .descriptorCount = kBindlessSlots, .stageFlags = kStage});
    flags.push_back(Flag::eUpdateAfterBind | Flag::ePartiallyBound);
    layout_flags = LayoutFlag::eUpdateAfterBindPool;
  } else if (spec.vulkan.binding != BufferBinding::kAddress) {
    for (std::uint32_t i = 0; i < spec.buffers; ++i) {
      bindings.push_back({.binding = i, .descriptorType = type_of(spec, i), .descriptorCount = 1, .stageFlags = kStage});
      flags.emplace_back();
    }
  }
  if (spec.vulkan.binding == BufferBinding::kPushDescriptors) {
    layout_flags = LayoutFlag::ePushDescriptorKHR;
  } else if (spec.vulkan.binding == BufferBinding::kDescriptorBuffer) {
    layout_flags = LayoutFlag::eDescriptorBufferEXT;
  }
  const auto count = static_cast<std::uint32_t>(bindings.size());
  const vk::DescriptorSetLayoutBindingFlagsCreateInfo binding_flags{.bindingCount = count, .pBindingFlags = flags.data()};
  const vk::DescriptorSetLayoutCreateInfo info{
      .pNext = spec.vulkan.binding == BufferBinding::kBindless ? &binding_flags : nullptr,
      .flags = layout_flags,
      .bindingCount = count,
      .pBindings = bindings.data(),
  };
  return BENCH_VK(context.device().createDescriptorSetLayout(info), "{} buffers, {}", spec.buffers,
                  to_string(spec.vulkan.binding));
}

}  // namespace

DescriptorWriter::DescriptorWriter(const Context& context)
    : context_(context),
      properties_(properties_of<vk::PhysicalDeviceDescriptorBufferPropertiesEXT>(context.physical_device())) {}

void DescriptorWriter::write(vk::DeviceAddress address, std::uint64_t bytes, std::span<std::byte> to) const {
  const vk::DescriptorAddressInfoEXT buffer{.address = address, .range = bytes};
  vk::DescriptorGetInfoEXT info{.type = Type::eStorageBuffer};
  info.data.pStorageBuffer = &buffer;
  // Vulkan-Hpp's own wrapper returns a type of a size known when compiling; this size is the driver's.
  context_.device().getDispatcher()->vkGetDescriptorEXT(*context_.device(),
                                                        reinterpret_cast<const VkDescriptorGetInfoEXT*>(&info),
                                                        properties_.storageBufferDescriptorSize, to.data());
}

BufferBinder::BufferBinder(const Launch& launch) : layout_(pipeline_of(launch).layout()) {}

void BufferBinder::update_and_bind(const vk::raii::CommandBuffer& /*commands*/) {
  throw Skip("sets updated per dispatch: only plain descriptor sets are allocated and written anew");
}

void check_binding(const Context& context, const KernelSpec& spec) {
  const vk::PhysicalDeviceLimits& limits = context.limits();
  const OptionalFeatures& features = context.features();
  const auto wants = [&](bool met, const char* what) {
    if (!met) {
      throw Skip("kernel {} wants {}, which {} lacks", spec.images->stem, what, context.info().name);
    }
  };
  const auto at_most = [&](std::uint64_t wanted, const char* what, const char* limit, std::uint64_t found) {
    if (wanted > found) {
      throw Skip("kernel {} wants {} {}; {} of {} is {}", spec.images->stem, wanted, what, limit, context.info().name, found);
    }
  };
  const auto storage_buffers = [&](std::uint64_t count) {
    at_most(count, "storage buffers", "maxPerStageDescriptorStorageBuffers", limits.maxPerStageDescriptorStorageBuffers);
  };
  if (spec.vulkan.interface) {
    const auto& given = spec.vulkan.interface->descriptors;
    const auto uniform = static_cast<std::uint64_t>(std::ranges::count(given, true, &VulkanInterface::Descriptor::is_uniform));
    storage_buffers(given.size() - uniform);
    at_most(uniform, "uniform buffers", "maxPerStageDescriptorUniformBuffers", limits.maxPerStageDescriptorUniformBuffers);
    at_most(last_set(*spec.vulkan.interface) + 1, "descriptor sets", "maxBoundDescriptorSets", limits.maxBoundDescriptorSets);
    return;
  }
  switch (spec.vulkan.binding) {
    case BufferBinding::kDescriptors:
      storage_buffers(spec.buffers);
      break;
    case BufferBinding::kDynamicOffsets:
      storage_buffers(spec.buffers);
      at_most(spec.buffers, "storage buffers with dynamic offsets", "maxDescriptorSetStorageBuffersDynamic",
              limits.maxDescriptorSetStorageBuffersDynamic);
      break;
    case BufferBinding::kUniform:
      at_most(spec.buffers - 1, "uniform buffers", "maxPerStageDescriptorUniformBuffers",
              limits.maxPerStageDescriptorUniformBuffers);
      break;
    case BufferBinding::kPushDescriptors:
      wants(features.push_descriptors, "VK_KHR_push_descriptor");
      storage_buffers(spec.buffers);
      at_most(spec.buffers, "push descriptors", "maxPushDescriptors",
              properties_of<vk::PhysicalDevicePushDescriptorPropertiesKHR>(context.physical_device()).maxPushDescriptors);
      break;
    case BufferBinding::kDescriptorBuffer:
      wants(features.descriptor_buffer, "VK_EXT_descriptor_buffer");
      storage_buffers(spec.buffers);
      break;
    case BufferBinding::kBindless:
      wants(features.bindless, "descriptor indexing (arrays of storage buffers, partially bound, updated after bind)");
      at_most(spec.buffers, "buffers in one array", "this suite's array", kBindlessSlots);
      break;
    case BufferBinding::kAddress:
      break;
  }
}

std::vector<vk::raii::DescriptorSetLayout> make_set_layouts(const Context& context, const KernelSpec& spec) {
  std::vector<vk::raii::DescriptorSetLayout> layouts;
  if (!spec.vulkan.interface) {
    layouts.push_back(make_set_layout(context, spec));
    return layouts;
  }
  for (std::uint32_t set = 0; set == 0 || set <= last_set(*spec.vulkan.interface); ++set) {
    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (const VulkanInterface::Descriptor& one : spec.vulkan.interface->descriptors) {
      if (one.set != set) continue;
      bindings.push_back({.binding = one.binding, .descriptorType = type_of(one), .descriptorCount = 1, .stageFlags = kStage});
    }
    const vk::DescriptorSetLayoutCreateInfo info{.bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                                 .pBindings = bindings.data()};
    layouts.push_back(BENCH_VK(context.device().createDescriptorSetLayout(info), "{} buffers in set {}", bindings.size(), set));
  }
  return layouts;
}

vk::PipelineCreateFlags binding_flags(const KernelSpec& spec) {
  return spec.vulkan.binding == BufferBinding::kDescriptorBuffer ? vk::PipelineCreateFlagBits::eDescriptorBufferEXT
                                                                 : vk::PipelineCreateFlags{};
}

std::unique_ptr<BufferBinder> make_binder(const Context& context, const Launch& launch) {
  if (launch.buffers.empty()) {
    return std::make_unique<BufferBinder>(launch);
  }
  if (launch.kernel->spec().vulkan.interface) return std::make_unique<InterfaceBinder>(context, launch);
  switch (launch.kernel->spec().vulkan.binding) {
    case BufferBinding::kDescriptors:
    case BufferBinding::kUniform:
    case BufferBinding::kDynamicOffsets:
      return std::make_unique<SetBinder>(context, launch);
    case BufferBinding::kPushDescriptors:
      return std::make_unique<PushBinder>(context, launch);
    case BufferBinding::kDescriptorBuffer:
      return std::make_unique<DescriptorBufferBinder>(context, launch);
    case BufferBinding::kBindless:
      return std::make_unique<BindlessBinder>(context, launch);
    case BufferBinding::kAddress:
      return std::make_unique<AddressBinder>(launch);
  }
  throw Error("no such BufferBinding: {}", static_cast<int>(launch.kernel->spec().vulkan.binding));
}

}  // namespace bench::vulkan
