#include "vulkan_chain.h"

#include <array>
#include <optional>
#include <vector>

#include "vulkan/device/device.h"
#include "vulkan/launch/buffer_binding.h"
#include "vulkan/memory/buffer.h"

namespace {

using bench::BufferBinding;
using bench::Launch;
using bench::vulkan::ComputePipeline;
using bench::vulkan::Context;
using Commands = const vk::raii::CommandBuffer&;

constexpr vk::PipelineBindPoint kBindPoint = vk::PipelineBindPoint::eCompute;

class Chain {
 public:
  Chain(const Context& context, const bench::Passes& turn)
      : launches_(turn.launches), pipeline_(bench::vulkan::compute_pipeline(*launches_.front().kernel)) {
    if (binding() == BufferBinding::kDescriptorBuffer) {
      write_descriptors(context);
    } else {
      for (const Launch& launch : launches_) binders_.push_back(bench::vulkan::make_binder(context, launch));
    }
  }

  void bind(Commands commands) const {
    commands.bindPipeline(kBindPoint, pipeline_.handle());
    if (binding() == BufferBinding::kBindless) binders_.front()->bind(commands);
    if (memory_) {
      commands.bindDescriptorBuffersEXT(
          vk::DescriptorBufferBindingInfoEXT{.address = memory_->address(), .usage = bench::vulkan::DescriptorMemory::kUsage});
    }
  }

  void record(Commands commands) const {
    for (std::uint32_t i = 0; i < launches_.size(); ++i) {
      if (i > 0) bench::vulkan::order_dispatches(commands);
      hand_over(commands, i);
      commands.dispatch(launches_[i].grid[0], 1, 1);
    }
  }

 private:
  BufferBinding binding() const { return pipeline_.spec().vulkan.binding; }

  void hand_over(Commands commands, std::uint32_t i) const {
    if (memory_) {
      const std::uint32_t which = 0;
      const vk::DeviceSize offset = i * set_bytes_;
      commands.setDescriptorBufferOffsetsEXT(kBindPoint, pipeline_.layout(), 0, which, offset);
    } else if (binding() == BufferBinding::kBindless) {
      const std::array<std::uint32_t, 2> indices = {i, 1 - i};  // in the first launch's set
      commands.pushConstants<std::uint32_t>(pipeline_.layout(), vk::ShaderStageFlagBits::eCompute, 0, indices);
    } else {
      binders_[i]->bind(commands);
    }
  }

  // The descriptors of all launches in one piece of memory.
  void write_descriptors(const Context& context) {
    const auto properties =
        bench::vulkan::properties_of<vk::PhysicalDeviceDescriptorBufferPropertiesEXT>(context.physical_device());
    const std::uint64_t alignment = properties.descriptorBufferOffsetAlignment;
    set_bytes_ = (pipeline_.set_layout_bytes() + alignment - 1) / alignment * alignment;
    memory_.emplace(context, launches_.size() * set_bytes_);
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      for (std::uint32_t k = 0; k < launches_[i].buffers.size(); ++k) {
        const bench::Buffer& buffer = *launches_[i].buffers[k];
        const vk::DescriptorAddressInfoEXT address{.address = bench::vulkan::device_buffer(buffer).address(),
                                                   .range = buffer.bytes()};
        vk::DescriptorGetInfoEXT info{.type = vk::DescriptorType::eStorageBuffer};
        info.data.pStorageBuffer = &address;
        // As in common/vulkan/launch/buffer_binding.cpp: the descriptor's size is the driver's.
        context.device().getDispatcher()->vkGetDescriptorEXT(
            *context.device(), reinterpret_cast<const VkDescriptorGetInfoEXT*>(&info), properties.storageBufferDescriptorSize,
            memory_->host().subspan(i * set_bytes_ + pipeline_.binding_offset(k)).data());
      }
    }
  }

  std::vector<Launch> launches_;
  const ComputePipeline& pipeline_;
  std::vector<std::unique_ptr<bench::vulkan::BufferBinder>> binders_;
  std::optional<bench::vulkan::DescriptorMemory> memory_;  // of a descriptor buffer alone
  std::uint64_t set_bytes_ = 0;
};

}  // namespace

std::unique_ptr<bench::Subject> vulkan_chain(bench::Device& device, const bench::Passes& turn, bench::SubmitMode mode) {
  const bench::vulkan::VulkanDevice& ours = bench::vulkan::vulkan_device(device);
  const auto chain = std::make_shared<const Chain>(ours.context(), turn);
  bench::vulkan::Body body;
  body.name = "a chain of dispatches";
  body.kernel = turn.launches.front().kernel;
  body.recorded_anew = mode == bench::SubmitMode::kEach;
  body.batches = true;
  body.bind = [chain](Commands commands) { chain->bind(commands); };
  body.record = [chain](Commands commands, std::uint32_t /*part*/, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) {
      if (i > 0) bench::vulkan::order_dispatches(commands);
      chain->record(commands);
    }
  };
  body.lead_in = [chain](Commands commands) {
    chain->record(commands);
    bench::vulkan::order_dispatches(commands);
  };
  return ours.prepare(std::move(body));
}
