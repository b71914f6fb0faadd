#include "vulkan/api/command_slot.h"

#include "core/base/watchdog.h"

namespace bench::vulkan {
namespace {

vk::raii::CommandPool make_pool(const Context& context) {
  const vk::CommandPoolCreateInfo info{.queueFamilyIndex = context.queue_family()};
  return BENCH_VK(context.device().createCommandPool(info));
}

vk::raii::CommandBuffer make_commands(const Context& context, const vk::raii::CommandPool& pool) {
  const vk::CommandBufferAllocateInfo info{.commandPool = *pool, .commandBufferCount = 1};
  return std::move(BENCH_VK(context.device().allocateCommandBuffers(info)).front());
}

}  // namespace

CommandSlot::CommandSlot(const Context& context)
    : context_(context),
      pool_(make_pool(context)),
      commands_(make_commands(context, pool_)),
      fence_(BENCH_VK(context.device().createFence({}))) {}

CommandSlot::~CommandSlot() {
  // Only after an exception. What the GPU still uses must not be destroyed.
  if (in_flight_) {
    const Deadline deadline("an earlier submission", context_.expected_s(0));
    try {
      static_cast<void>(context_.device().waitForFences(*fence_, true, UINT64_MAX));
    } catch (const vk::SystemError&) {  // a lost device uses nothing any more
    }
  }
}

const vk::raii::CommandBuffer& CommandSlot::begin(bool once, Opening opening) {
  if (in_flight_) {  // after an exception between submit() and wait()
    const Deadline deadline("an earlier submission", context_.expected_s(0));
    wait("an earlier submission");
  }
  BENCH_VK(pool_.reset());
  vk::CommandBufferBeginInfo info;
  if (once) {
    info.flags = vk::CommandBufferUsageFlagBits::eOneTimeSubmit;
  }
  BENCH_VK(commands_.begin(info));
  if (opening == Opening::kBarrier) full_barrier(commands_);
  return commands_;
}

void CommandSlot::end() { BENCH_VK(commands_.end()); }

void CommandSlot::ready() {
  if (is_signaled_) BENCH_VK(context_.device().resetFences(*fence_));
  is_signaled_ = false;
}

void CommandSlot::submit() {
  ready();
  const vk::CommandBufferSubmitInfo commands{.commandBuffer = *commands_};
  const vk::SubmitInfo2 info{.commandBufferInfoCount = 1, .pCommandBufferInfos = &commands};
  BENCH_VK(context_.queue().submit2(info, *fence_));
  in_flight_ = true;
}

void CommandSlot::wait(std::string_view what) {
  // A software device needs the core that polling would keep busy.
  const bool is_cpu = context_.info().is_cpu;
  const auto completed = [&] {
    return is_cpu ? BENCH_VK(context_.device().waitForFences(*fence_, true, UINT64_MAX), "while waiting for {}", what)
                  : BENCH_VK(fence_.getStatus(), "while waiting for {}", what);
  };
  while (completed() != vk::Result::eSuccess) {
  }
  in_flight_ = false;
  is_signaled_ = true;
}

void CommandSlot::run(std::string_view what, double expected_s) {
  end();
  const Deadline deadline(what, expected_s);
  submit();
  wait(what);
}

void memory_barrier(const vk::raii::CommandBuffer& commands, vk::PipelineStageFlags2 from_stage, vk::AccessFlags2 from_access,
                    vk::PipelineStageFlags2 to_stage, vk::AccessFlags2 to_access) {
  const vk::MemoryBarrier2 barrier{
      .srcStageMask = from_stage, .srcAccessMask = from_access, .dstStageMask = to_stage, .dstAccessMask = to_access};
  commands.pipelineBarrier2({.memoryBarrierCount = 1, .pMemoryBarriers = &barrier});
}

void full_barrier(const vk::raii::CommandBuffer& commands) {
  using Access = vk::AccessFlagBits2;
  const vk::PipelineStageFlags2 all = vk::PipelineStageFlagBits2::eAllCommands;
  memory_barrier(commands, all, Access::eMemoryWrite, all, Access::eMemoryRead | Access::eMemoryWrite);
}

}  // namespace bench::vulkan
