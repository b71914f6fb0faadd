#include "vulkan_submission.h"

#include "core/base/watchdog.h"

Submission::Submission(const bench::vulkan::Context& context, const vk::raii::Queue& queue, std::uint32_t family,
                       double expected_s)
    : context_(context),
      queue_(queue),
      expected_s_(context.expected_s(expected_s)),
      pool_(BENCH_VK(context.device().createCommandPool({.queueFamilyIndex = family}))),
      commands_(std::move(
          BENCH_VK(context.device().allocateCommandBuffers({.commandPool = *pool_, .commandBufferCount = 1})).front())),
      fence_(BENCH_VK(context.device().createFence({}))) {}

Submission::~Submission() {
  if (!in_flight_) return;  // after an exception alone
  const bench::Deadline deadline("an earlier submission", expected_s_);
  try {
    static_cast<void>(context_.device().waitForFences(*fence_, true, UINT64_MAX));
  } catch (const vk::SystemError&) {  // a lost device uses nothing any more
  }
}

const vk::raii::CommandBuffer& Submission::begin() {
  BENCH_VK(pool_.reset());
  BENCH_VK(commands_.begin(vk::CommandBufferBeginInfo{}));
  return commands_;
}

void Submission::end() { BENCH_VK(commands_.end()); }

void Submission::submit() {
  const vk::CommandBufferSubmitInfo commands{.commandBuffer = *commands_};
  BENCH_VK(queue_.submit2(vk::SubmitInfo2{.commandBufferInfoCount = 1, .pCommandBufferInfos = &commands}, *fence_));
  in_flight_ = true;
}

void Submission::wait(bool sleeps) {
  const bench::Deadline deadline("a submission", expected_s_);
  // A software device needs the core that polling would keep busy.
  const bool blocks = sleeps || context_.info().is_cpu;
  while ((blocks ? BENCH_VK(context_.device().waitForFences(*fence_, true, UINT64_MAX)) : BENCH_VK(fence_.getStatus())) !=
         vk::Result::eSuccess) {
  }
  in_flight_ = false;
  BENCH_VK(context_.device().resetFences(*fence_));
}
