#include <vector>

#include "sides.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using Stage = vk::PipelineStageFlagBits2;
using Access = vk::AccessFlagBits2;
using bench::vulkan::Context;

constexpr vk::AccessFlags2 kShaderReadWrite = Access::eShaderStorageRead | Access::eShaderStorageWrite;
constexpr vk::AccessFlags2 kAnyReadWrite = Access::eMemoryRead | Access::eMemoryWrite;

// What a way's barrier says.
vk::MemoryBarrier2 barrier_of(Ordering way) {
  vk::MemoryBarrier2 barrier{.srcStageMask = Stage::eComputeShader,
                             .srcAccessMask = Access::eShaderStorageWrite,
                             .dstStageMask = Stage::eComputeShader,
                             .dstAccessMask = kShaderReadWrite};
  if (way == Ordering::kToAll || way == Ordering::kAllToAll) {
    barrier.dstStageMask = Stage::eAllCommands;
    barrier.dstAccessMask = kAnyReadWrite;
  }
  if (way == Ordering::kAllToAll) {
    barrier.srcStageMask = Stage::eAllCommands;
    barrier.srcAccessMask = Access::eMemoryWrite;
  }
  if (way == Ordering::kToHost) {
    barrier.dstStageMask |= Stage::eHost;
    barrier.dstAccessMask |= Access::eHostRead;
  }
  // Khronos, Vulkan-Docs wiki, "Synchronization Examples": write after read needs no memory to be made available or visible.
  if (way == Ordering::kExecution) barrier.srcAccessMask = barrier.dstAccessMask = Access::eNone;
  return barrier;
}

struct Recording {
  Config config;
  bench::vulkan::Command bound;
  vk::PipelineLayout layout;
  vk::Buffer buffer;
  std::vector<vk::raii::Event> events;  // one a link

  void dispatch(const vk::raii::CommandBuffer& commands, const LinkParams& params) const {
    commands.pushConstants<LinkParams>(layout, vk::ShaderStageFlagBits::eCompute, 0, params);
    commands.dispatch(1, 1, 1);
  }

  void order(const vk::raii::CommandBuffer& commands) const {
    const vk::MemoryBarrier2 barrier = barrier_of(config.way);
    if (config.way != Ordering::kBuffer) {
      commands.pipelineBarrier2({.memoryBarrierCount = 1, .pMemoryBarriers = &barrier});
      return;
    }
    const vk::BufferMemoryBarrier2 of_buffer{.srcStageMask = barrier.srcStageMask,
                                             .srcAccessMask = barrier.srcAccessMask,
                                             .dstStageMask = barrier.dstStageMask,
                                             .dstAccessMask = barrier.dstAccessMask,
                                             .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                             .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                             .buffer = buffer,
                                             .offset = 0,
                                             .size = VK_WHOLE_SIZE};
    commands.pipelineBarrier2({.bufferMemoryBarrierCount = 1, .pBufferMemoryBarriers = &of_buffer});
  }

  void whole(const vk::raii::CommandBuffer& commands) const {
    const vk::MemoryBarrier2 barrier = barrier_of(config.way);
    const vk::DependencyInfo dependency{.memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
    if (config.way == Ordering::kDeviceEvent) {
      // Set by the submission before, which is over. A set comes behind the reset that is before it in the queue by an
      // execution dependency (Vulkan 1.3, vkCmdResetEvent2).
      for (const vk::raii::Event& event : events) commands.resetEvent2(*event, Stage::eComputeShader);
      bench::vulkan::memory_barrier(commands, Stage::eAllCommands, Access::eNone, Stage::eComputeShader, Access::eNone);
    }
    bound.bind(commands);
    for (std::uint32_t i = 0; i < config.links; ++i) {
      dispatch(commands, link_of(config, i));
      if (!events.empty()) commands.setEvent2(*events[i], dependency);
      if (config.filler_turns != 0) dispatch(commands, filler_of(config, i));
      if (i + 1 == config.links) break;
      if (!events.empty()) {
        commands.waitEvents2(*events[i], dependency);
      } else if (config.way != Ordering::kNothing) {
        order(commands);
      }
    }
  }

  // A link of a submission of its own. A semaphore orders memory, too; a submission without one does not.
  void part(const vk::raii::CommandBuffer& commands, std::uint32_t i) const {
    if (config.way == Ordering::kSubmission && i > 0) order(commands);
    bound.bind(commands);
    dispatch(commands, link_of(config, i));
  }
};

}  // namespace

std::unique_ptr<bench::Subject> vulkan_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch) {
  const bench::vulkan::VulkanDevice& device = bench::vulkan::vulkan_device(bench.device());
  const Context& context = device.context();
  auto recording = std::make_shared<Recording>(Recording{.config = config,
                                                         .bound = {context, launch},
                                                         .layout = bench::vulkan::compute_pipeline(*launch.kernel).layout(),
                                                         .buffer = bench::vulkan::device_buffer(*launch.buffers[0]).handle(),
                                                         .events = {}});
  const bool of_device = config.way == Ordering::kDeviceEvent;
  vk::EventCreateInfo info;
  if (of_device) info.flags = vk::EventCreateFlagBits::eDeviceOnly;
  for (std::uint32_t i = 0; config.has_events() && i < config.links; ++i)
    recording->events.push_back(BENCH_VK(context.device().createEvent(info)));
  bench::vulkan::Body body;
  body.name = "a chain of links";
  body.kernel = launch.kernel;
  body.unordered = config.way == Ordering::kNothing || config.way == Ordering::kExecution || config.filler_turns != 0;
  body.one_by_one = config.way == Ordering::kSubmission || config.way == Ordering::kQueues;
  if (body.one_by_one) body.parts = config.links;
  if (config.way == Ordering::kQueues) body.queues = 2;
  const bool in_parts = body.one_by_one;
  body.record = [recording, in_parts](const vk::raii::CommandBuffer& commands, std::uint32_t part, std::uint32_t /*times*/) {
    if (in_parts) {
      recording->part(commands, part);
    } else {
      recording->whole(commands);
    }
  };
  if (of_device) return device.prepare(std::move(body));
  // Set by the submission before, which is over.
  body.prepare = [recording] {
    for (const vk::raii::Event& event : recording->events) BENCH_VK(event.reset());
  };
  return device.prepare(std::move(body));
}
