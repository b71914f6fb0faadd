#include <array>
#include <functional>
#include <map>
#include <utility>

#include "chain.h"
#include "core/device/kernel_interface.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/buffer_binding.h"
#include "vulkan/memory/buffer.h"

namespace {

using bench::BufferBinding;
using bench::vulkan::ComputePipeline;
using bench::vulkan::Context;
using bench::vulkan::device_buffer;
using bench::vulkan::kBindlessSlots;
using Commands = const vk::raii::CommandBuffer&;
using Steps = std::vector<ChainStep>;

constexpr vk::PipelineBindPoint kBindPoint = vk::PipelineBindPoint::eCompute;
constexpr vk::ShaderStageFlagBits kStage = vk::ShaderStageFlagBits::eCompute;

// How a binding hands over a step's buffers.
struct Way {
  std::function<void(Commands)> bind = [](Commands) {};  // ahead of all steps
  std::function<void(Commands, std::size_t step)> hand_over;
};

vk::DescriptorBufferInfo descriptor_of(const Slice& slice) {
  return {.buffer = device_buffer(*slice.buffer).handle(), .offset = slice.offset, .range = slice.bytes};
}

vk::DeviceAddress address_of(const Slice& slice) { return device_buffer(*slice.buffer).address() + slice.offset; }

// A step's two descriptors, and their writes.
class Descriptors {
 public:
  explicit Descriptors(const ChainStep& step) : infos_{descriptor_of(step.in), descriptor_of(step.out)} {}
  std::array<vk::WriteDescriptorSet, 2> writes(vk::DescriptorSet set = {},
                                               vk::DescriptorType type = vk::DescriptorType::eStorageBuffer) const {
    std::array<vk::WriteDescriptorSet, 2> writes;
    for (std::uint32_t i = 0; i < writes.size(); ++i) {
      writes[i] = {.dstSet = set, .dstBinding = i, .descriptorCount = 1, .descriptorType = type, .pBufferInfo = &infos_[i]};
    }
    return writes;
  }

 private:
  std::array<vk::DescriptorBufferInfo, 2> infos_;
};

// Sets of the pipeline's layout.
struct Sets {
  vk::raii::DescriptorPool pool{nullptr};
  std::vector<vk::DescriptorSet> sets;

  Sets(const Context& context, const ComputePipeline& pipeline, std::uint32_t count, std::uint32_t descriptors,
       vk::DescriptorPoolCreateFlags flags = {}, vk::DescriptorType type = vk::DescriptorType::eStorageBuffer) {
    const vk::DescriptorPoolSize size{.type = type, .descriptorCount = count * descriptors};
    const vk::DescriptorPoolCreateInfo info{.flags = flags, .maxSets = count, .poolSizeCount = 1, .pPoolSizes = &size};
    pool = BENCH_VK(context.device().createDescriptorPool(info), "{} sets of {} descriptors", count, descriptors);
    const std::vector<vk::DescriptorSetLayout> layouts(count, pipeline.set_layout());
    const vk::DescriptorSetAllocateInfo all{
        .descriptorPool = *pool, .descriptorSetCount = count, .pSetLayouts = layouts.data()};
    // release(): the pool was made without VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT.
    for (auto& set : BENCH_VK(context.device().allocateDescriptorSets(all))) sets.push_back(set.release());
  }
};

// A set for each step.
Way by_sets(const Context& context, const ComputePipeline& pipeline, const Steps& steps) {
  const auto count = static_cast<std::uint32_t>(steps.size());
  const auto made = std::make_shared<const Sets>(context, pipeline, count, 2);
  for (std::size_t i = 0; i < count; ++i) {
    context.device().updateDescriptorSets(Descriptors(steps[i]).writes(made->sets[i]), {});
  }
  return {.hand_over = [made, layout = pipeline.layout()](Commands commands, std::size_t step) {
    commands.bindDescriptorSets(kBindPoint, layout, 0, made->sets[step], {});
  }};
}

// One set, of slices of one buffer each, which are as long.
Way by_dynamic_offsets(const Context& context, const ComputePipeline& pipeline, const Steps& steps) {
  constexpr vk::DescriptorType kType = vk::DescriptorType::eStorageBufferDynamic;
  const auto made = std::make_shared<const Sets>(context, pipeline, 1, 2, vk::DescriptorPoolCreateFlags(), kType);
  ChainStep from_begin = steps.front();
  from_begin.in.offset = 0;
  from_begin.out.offset = 0;
  context.device().updateDescriptorSets(Descriptors(from_begin).writes(made->sets.front(), kType), {});
  std::vector<std::array<std::uint32_t, 2>> offsets;
  for (const ChainStep& step : steps) {
    if (step.in.buffer != from_begin.in.buffer || step.out.buffer != from_begin.out.buffer)
      throw bench::Error("dynamic offsets of more than one buffer");
    offsets.push_back({static_cast<std::uint32_t>(step.in.offset), static_cast<std::uint32_t>(step.out.offset)});
  }
  return {.hand_over = [made, offsets, layout = pipeline.layout()](Commands commands, std::size_t step) {
    commands.bindDescriptorSets(kBindPoint, layout, 0, made->sets.front(), offsets[step]);
  }};
}

Way by_push_descriptors(const ComputePipeline& pipeline, const Steps& steps) {
  const auto all = std::make_shared<std::vector<Descriptors>>();
  for (const ChainStep& step : steps) all->emplace_back(step);
  return {.hand_over = [all, layout = pipeline.layout()](Commands commands, std::size_t step) {
    commands.pushDescriptorSetKHR(kBindPoint, layout, 0, (*all)[step].writes());
  }};
}

// The descriptors of all steps in one piece of memory.
Way by_descriptor_buffer(const Context& context, const ComputePipeline& pipeline, const Steps& steps) {
  const bench::vulkan::DescriptorWriter writer(context);
  const std::uint64_t alignment = writer.offset_alignment();
  const std::uint64_t set_bytes = (pipeline.set_layout_bytes() + alignment - 1) / alignment * alignment;
  const auto memory = std::make_shared<bench::vulkan::DescriptorMemory>(context, steps.size() * set_bytes);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto set = memory->host().subspan(i * set_bytes);
    writer.write(address_of(steps[i].in), steps[i].in.bytes, set.subspan(pipeline.binding_offset(0)));
    writer.write(address_of(steps[i].out), steps[i].out.bytes, set.subspan(pipeline.binding_offset(1)));
  }
  return {.bind =
              [memory](Commands commands) {
                commands.bindDescriptorBuffersEXT(vk::DescriptorBufferBindingInfoEXT{
                    .address = memory->address(), .usage = bench::vulkan::DescriptorMemory::kUsage});
              },
          .hand_over =
              [set_bytes, layout = pipeline.layout()](Commands commands, std::size_t step) {
                const std::uint32_t which = 0;
                const vk::DeviceSize offset = step * set_bytes;
                commands.setDescriptorBufferOffsetsEXT(kBindPoint, layout, 0, which, offset);
              }};
}

// What all steps are handed in one set, an element for each slice, and each step's two indices.
Way by_bindless(const Context& context, const ComputePipeline& pipeline, const Steps& steps) {
  const auto made =
      std::make_shared<const Sets>(context, pipeline, 1, kBindlessSlots, vk::DescriptorPoolCreateFlagBits::eUpdateAfterBind);
  std::map<std::pair<const bench::Buffer*, std::uint64_t>, std::uint32_t> slots;
  const auto slot_of = [&](const Slice& slice) {
    const auto [found, is_new] = slots.emplace(std::pair(slice.buffer, slice.offset), static_cast<std::uint32_t>(slots.size()));
    if (slots.size() > kBindlessSlots) throw bench::Error("{} buffers in an array of {}", slots.size(), kBindlessSlots);
    if (is_new) {
      const vk::DescriptorBufferInfo info = descriptor_of(slice);
      context.device().updateDescriptorSets(vk::WriteDescriptorSet{.dstSet = made->sets.front(),
                                                                   .dstBinding = 0,
                                                                   .dstArrayElement = found->second,
                                                                   .descriptorCount = 1,
                                                                   .descriptorType = vk::DescriptorType::eStorageBuffer,
                                                                   .pBufferInfo = &info},
                                            {});
    }
    return found->second;
  };
  std::vector<std::array<std::uint32_t, 2>> indices;
  for (const ChainStep& step : steps) {
    const std::uint32_t in = slot_of(step.in);
    indices.push_back({in, slot_of(step.out)});
  }
  return {.bind = [made, layout = pipeline.layout()](
                      Commands commands) { commands.bindDescriptorSets(kBindPoint, layout, 0, made->sets.front(), {}); },
          .hand_over = [indices, layout = pipeline.layout()](
                           Commands commands,
                           std::size_t step) { commands.pushConstants<std::uint32_t>(layout, kStage, 0, indices[step]); }};
}

Way by_address(const ComputePipeline& pipeline, const Steps& steps) {
  std::vector<std::array<vk::DeviceAddress, 2>> addresses;
  for (const ChainStep& step : steps) addresses.push_back({address_of(step.in), address_of(step.out)});
  return {.hand_over = [addresses, layout = pipeline.layout()](Commands commands, std::size_t step) {
    commands.pushConstants<vk::DeviceAddress>(layout, kStage, 0, addresses[step]);
  }};
}

Way way_of(const Context& context, const ComputePipeline& pipeline, const Steps& steps) {
  switch (pipeline.spec().vulkan.binding) {
    case BufferBinding::kDynamicOffsets:
      return by_dynamic_offsets(context, pipeline, steps);
    case BufferBinding::kPushDescriptors:
      return by_push_descriptors(pipeline, steps);
    case BufferBinding::kDescriptorBuffer:
      return by_descriptor_buffer(context, pipeline, steps);
    case BufferBinding::kBindless:
      return by_bindless(context, pipeline, steps);
    case BufferBinding::kAddress:
      return by_address(pipeline, steps);
    default:
      return by_sets(context, pipeline, steps);
  }
}

class Recording {
 public:
  Recording(const Context& context, const Chain& chain)
      : chain_(chain),
        pipeline_(bench::vulkan::compute_pipeline(*chain_.kernel)),
        way_(way_of(context, pipeline_, chain_.steps)) {}

  void bind(Commands commands) const {
    commands.bindPipeline(kBindPoint, pipeline_.handle());
    way_.bind(commands);
  }

  void record(Commands commands) const {
    const std::uint32_t behind = bench::push_bytes_of_buffers(pipeline_.spec());
    for (std::size_t i = 0; i < chain_.steps.size(); ++i) {
      if (i > 0) bench::vulkan::order_dispatches(commands);
      way_.hand_over(commands, i);
      const std::vector<std::byte>& params = chain_.steps[i].params;
      if (!params.empty()) commands.pushConstants<std::byte>(pipeline_.layout(), kStage, behind, params);
      commands.dispatch(chain_.blocks, 1, 1);
    }
  }

 private:
  Chain chain_;
  const ComputePipeline& pipeline_;
  Way way_;
};

}  // namespace

std::unique_ptr<bench::Subject> vulkan_chain(bench::Device& device, const Chain& chain, bench::SubmitMode mode) {
  const bench::vulkan::VulkanDevice& ours = bench::vulkan::vulkan_device(device);
  const auto recording = std::make_shared<const Recording>(ours.context(), chain);
  bench::vulkan::Body body;
  body.name = "a chain of dispatches";
  body.kernel = chain.kernel;
  body.recorded_anew = mode == bench::SubmitMode::kEach;
  body.batches = true;
  body.bind = [recording](Commands commands) { recording->bind(commands); };
  body.record = [recording](Commands commands, std::uint32_t /*part*/, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
      if (i > 0) bench::vulkan::order_dispatches(commands);
      recording->record(commands);
    }
  };
  if (chain.has_lead_in) {
    body.lead_in = [recording](Commands commands) {
      recording->record(commands);
      bench::vulkan::order_dispatches(commands);
    };
  }
  return ours.prepare(std::move(body));
}
