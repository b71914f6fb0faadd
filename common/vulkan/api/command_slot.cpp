#include "vulkan/api/command_slot.h"

#include "core/base/error.h"
#include "core/base/watchdog.h"

namespace bench::vulkan {

CommandSlot::CommandSlot(const Context& context, std::uint32_t parts)
    : CommandSlot(context, context.queue(), context.queue_family(), parts) {}

CommandSlot::CommandSlot(const Context& context, const vk::raii::Queue& queue, std::uint32_t family, std::uint32_t parts)
    : context_(context),
      queue_(queue),
      pool_(BENCH_VK(context.device().createCommandPool({.queueFamilyIndex = family}))),
      commands_(BENCH_VK(context.device().allocateCommandBuffers({.commandPool = *pool_, .commandBufferCount = parts}))),
      fence_(BENCH_VK(context.device().createFence({}))) {
  for (const vk::raii::CommandBuffer& one : commands_) parts_.push_back({.commandBuffer = *one});
}

CommandSlot::~CommandSlot() {
  // Only after an exception. What the GPU still uses must not be destroyed.
  try {
    wait_for_earlier();
  } catch (const std::exception&) {  // a lost device uses nothing any more
  }
}

void CommandSlot::wait_for_earlier() {
  if (!in_flight_ && !is_unfinished_) return;
  const Deadline deadline("an earlier submission", context_.expected_s(0));
  if (is_unfinished_) BENCH_VK(context_.device().waitIdle());
  is_unfinished_ = false;
  if (in_flight_) wait("an earlier submission", Waiting::kSleeps);
}

const vk::raii::CommandBuffer& CommandSlot::begin(bool once, Opening opening, std::uint32_t part) {
  if (part == 0) {
    wait_for_earlier();  // after an exception between submit() and wait()
    BENCH_VK(pool_.reset());
  }
  const vk::raii::CommandBuffer& commands = commands_.at(part);
  vk::CommandBufferBeginInfo info;
  if (once) {
    info.flags = vk::CommandBufferUsageFlagBits::eOneTimeSubmit;
  }
  BENCH_VK(commands.begin(info));
  if (opening == Opening::kBarrier) full_barrier(commands);
  return commands;
}

void CommandSlot::end(std::uint32_t part) { BENCH_VK(commands_.at(part).end()); }

void CommandSlot::ready() {
  if (is_signaled_) BENCH_VK(context_.device().resetFences(*fence_));
  is_signaled_ = false;
}

void CommandSlot::submit(const vk::raii::Queue& queue, const vk::SubmitInfo2& info, bool is_last) {
  if (is_signaled_) throw Error("a submission whose fence was not made ready: its reset would be timed");
  is_unfinished_ = true;
  BENCH_VK(queue.submit2(info, is_last ? *fence_ : vk::Fence()));
  is_unfinished_ = !is_last;
  in_flight_ = is_last;
}

void CommandSlot::submit(std::span<const vk::SemaphoreSubmitInfo> signals) {
  submit(queue_,
         {.commandBufferInfoCount = static_cast<std::uint32_t>(parts_.size()),
          .pCommandBufferInfos = parts_.data(),
          .signalSemaphoreInfoCount = static_cast<std::uint32_t>(signals.size()),
          .pSignalSemaphoreInfos = signals.data()},
         true);
}

void CommandSlot::submit_part(std::uint32_t part, const vk::raii::Queue& queue, std::span<const vk::SemaphoreSubmitInfo> waits,
                              std::span<const vk::SemaphoreSubmitInfo> signals) {
  submit(queue,
         {.waitSemaphoreInfoCount = static_cast<std::uint32_t>(waits.size()),
          .pWaitSemaphoreInfos = waits.data(),
          .commandBufferInfoCount = 1,
          .pCommandBufferInfos = &parts_.at(part),
          .signalSemaphoreInfoCount = static_cast<std::uint32_t>(signals.size()),
          .pSignalSemaphoreInfos = signals.data()},
         part + 1 == commands_.size());
}

void CommandSlot::wait(std::string_view what, Waiting how) {
  // A software device needs the core that polling would keep busy.
  const bool sleeps = how == Waiting::kSleeps || context_.info().is_cpu;
  const auto completed = [&] {
    return sleeps ? BENCH_VK(context_.device().waitForFences(*fence_, true, UINT64_MAX), "while waiting for {}", what)
                  : BENCH_VK(fence_.getStatus(), "while waiting for {}", what);
  };
  while (completed() != vk::Result::eSuccess) {
  }
  in_flight_ = false;
  is_signaled_ = true;
}

void CommandSlot::run(std::string_view what, double expected_s) {
  end();
  ready();
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

void order_dispatches(const vk::raii::CommandBuffer& commands) {
  using Stage = vk::PipelineStageFlagBits2;
  using Access = vk::AccessFlagBits2;
  memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, Stage::eComputeShader,
                 Access::eShaderStorageRead | Access::eShaderStorageWrite);
}

}  // namespace bench::vulkan
