#include "core/base/error.h"
#include "sides.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using bench::vulkan::CommandSlot;
using bench::vulkan::Context;

// A word that the host reads while the device may write it.
struct HostFlag {
  bench::vulkan::MappedBuffer buffer;
  volatile std::uint32_t* word;

  explicit HostFlag(const Context& context)
      : buffer(context, {.bytes = sizeof(std::uint32_t),
                         .label = "flag",
                         .usage = vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress,
                         .kinds = bench::vulkan::host_cached()}),
        word(reinterpret_cast<volatile std::uint32_t*>(buffer.host().data())) {
    *word = 0;
  }
};

class VulkanWaiter final : public Waiter {
 public:
  VulkanWaiter(const Context& context, WaitMethod way, const bench::Launch& launch, const TaskParams& params)
      : context_(context),
        way_(way),
        bound_(context, launch),
        layout_(bench::vulkan::compute_pipeline(*launch.kernel).layout()),
        params_(params),
        flag_(context),
        slot_(context) {
    params_.flag_low = static_cast<std::uint32_t>(flag_.buffer.address());
    params_.flag_high = static_cast<std::uint32_t>(flag_.buffer.address() >> 32);
    params_.value = way == WaitMethod::kFlag ? 1 : 0;
    if (way == WaitMethod::kObject || way == WaitMethod::kPollObject) {
      const vk::SemaphoreTypeCreateInfo type{.semaphoreType = vk::SemaphoreType::eTimeline};
      timeline_ = BENCH_VK(context.device().createSemaphore({.pNext = &type}));
    }
    const vk::raii::CommandBuffer& commands = slot_.begin(false, CommandSlot::Opening::kNone);
    bound_.bind(commands);
    commands.pushConstants<TaskParams>(layout_, vk::ShaderStageFlagBits::eCompute, 0, params_);
    commands.dispatch(1, 1, 1);
    if (way == WaitMethod::kFlag) {
      bench::vulkan::memory_barrier(commands, vk::PipelineStageFlagBits2::eComputeShader,
                                    vk::AccessFlagBits2::eShaderStorageWrite, vk::PipelineStageFlagBits2::eHost,
                                    vk::AccessFlagBits2::eHostRead);
    }
    slot_.end();
  }

  void submit() override {
    *flag_.word = 0;
    if (way_ != WaitMethod::kObject && way_ != WaitMethod::kPollObject) return slot_.submit();
    const vk::SemaphoreSubmitInfo done{
        .semaphore = *timeline_, .value = ++reached_, .stageMask = vk::PipelineStageFlagBits2::eAllCommands};
    slot_.submit({&done, 1});
  }

  void wait() override {
    switch (way_) {
      case WaitMethod::kPoll:
        slot_.wait(kName);
        return;
      case WaitMethod::kObject: {
        const vk::Semaphore semaphore = *timeline_;
        const vk::Result result = BENCH_VK(context_.device().waitSemaphores(
            {.semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &reached_}, UINT64_MAX));
        if (result != vk::Result::eSuccess) throw bench::Error("{}: {}", kName, vk::to_string(result));
        return;
      }
      case WaitMethod::kPollObject:
        // The host's value, which no wait has to be asked for: Vulkan Guide, "Timeline Semaphores".
        while (BENCH_VK(timeline_.getCounterValue(), "while polling for {}", kName) < reached_) {
        }
        return;
      case WaitMethod::kFlag:
        poll_flag(flag_.word, params_.value);
        return;
      default:
        slot_.wait(kName, CommandSlot::Waiting::kSleeps);
        return;
    }
  }

  void settle() override {
    slot_.wait(kName, CommandSlot::Waiting::kSleeps);
    slot_.ready();
  }

 private:
  static constexpr std::string_view kName = "a task";

  const Context& context_;
  WaitMethod way_;
  bench::vulkan::Command bound_;
  vk::PipelineLayout layout_;
  TaskParams params_;
  HostFlag flag_;
  CommandSlot slot_;
  vk::raii::Semaphore timeline_{nullptr};
  std::uint64_t reached_ = 0;
};

}  // namespace

std::unique_ptr<Waiter> vulkan_waiter(bench::Workbench& bench, WaitMethod way, const bench::Launch& launch,
                                      const TaskParams& params) {
  return std::make_unique<VulkanWaiter>(bench::vulkan::vulkan_device(bench.device()).context(), way, launch, params);
}
