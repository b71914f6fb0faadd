#include "core/base/error.h"
#include "sides.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

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
  VulkanWaiter(const Context& context, Way way, const bench::Launch& launch, const TaskParams& params)
      : context_(context),
        way_(way),
        bound_(context, launch),
        layout_(bench::vulkan::compute_pipeline(*launch.kernel).layout()),
        params_(params),
        flag_(context) {
    params_.flag_low = static_cast<std::uint32_t>(flag_.buffer.address());
    params_.flag_high = static_cast<std::uint32_t>(flag_.buffer.address() >> 32);
    params_.value = way == Way::kFlag ? 1 : 0;
    pool_ = BENCH_VK(context.device().createCommandPool({.queueFamilyIndex = context.queue_family()}));
    commands_ =
        std::move(BENCH_VK(context.device().allocateCommandBuffers({.commandPool = *pool_, .commandBufferCount = 1})).front());
    fence_ = BENCH_VK(context.device().createFence({}));
    if (way == Way::kObject) {
      const vk::SemaphoreTypeCreateInfo type{.semaphoreType = vk::SemaphoreType::eTimeline};
      timeline_ = BENCH_VK(context.device().createSemaphore({.pNext = &type}));
    }
    BENCH_VK(commands_.begin({}));
    bound_.bind(commands_);
    commands_.pushConstants<TaskParams>(layout_, vk::ShaderStageFlagBits::eCompute, 0, params_);
    commands_.dispatch(1, 1, 1);
    if (way == Way::kFlag) {
      bench::vulkan::memory_barrier(commands_, vk::PipelineStageFlagBits2::eComputeShader,
                                    vk::AccessFlagBits2::eShaderStorageWrite, vk::PipelineStageFlagBits2::eHost,
                                    vk::AccessFlagBits2::eHostRead);
    }
    BENCH_VK(commands_.end());
  }
  ~VulkanWaiter() override {
    if (!in_flight_) return;  // only after an exception
    try {
      static_cast<void>(context_.device().waitForFences(*fence_, true, kBoundNs));
    } catch (const vk::SystemError&) {  // a lost device uses nothing any more
    }
  }

  void submit() override {
    *flag_.word = 0;
    const vk::CommandBufferSubmitInfo commands{.commandBuffer = *commands_};
    const vk::SemaphoreSubmitInfo done{
        .semaphore = *timeline_, .value = ++reached_, .stageMask = vk::PipelineStageFlagBits2::eAllCommands};
    const bool signals = way_ == Way::kObject;
    const vk::SubmitInfo2 info{.commandBufferInfoCount = 1,
                               .pCommandBufferInfos = &commands,
                               .signalSemaphoreInfoCount = signals ? 1U : 0U,
                               .pSignalSemaphoreInfos = signals ? &done : nullptr};
    BENCH_VK(context_.queue().submit2(info, *fence_));
    in_flight_ = true;
  }

  void wait() override {
    switch (way_) {
      case Way::kPoll:
        while (BENCH_VK(fence_.getStatus()) != vk::Result::eSuccess) {
        }
        return;
      case Way::kObject: {
        const vk::Semaphore semaphore = *timeline_;
        check(BENCH_VK(context_.device().waitSemaphores({.semaphoreCount = 1, .pSemaphores = &semaphore, .pValues = &reached_},
                                                        kBoundNs)));
        return;
      }
      case Way::kFlag:
        poll_flag(flag_.word, params_.value);
        return;
      default:
        check(BENCH_VK(context_.device().waitForFences(*fence_, true, kBoundNs)));
        return;
    }
  }

  void settle() override {
    check(BENCH_VK(context_.device().waitForFences(*fence_, true, kBoundNs)));
    in_flight_ = false;
    BENCH_VK(context_.device().resetFences(*fence_));
  }

 private:
  static constexpr std::uint64_t kBoundNs = 10'000'000'000;
  static void check(vk::Result result) {
    if (result != vk::Result::eSuccess)
      throw bench::Error("a kernel was not done within ten seconds: {}", vk::to_string(result));
  }

  const Context& context_;
  Way way_;
  bench::vulkan::Command bound_;
  vk::PipelineLayout layout_;
  TaskParams params_;
  HostFlag flag_;
  vk::raii::CommandPool pool_{nullptr};
  vk::raii::CommandBuffer commands_{nullptr};
  vk::raii::Fence fence_{nullptr};
  vk::raii::Semaphore timeline_{nullptr};
  std::uint64_t reached_ = 0;
  bool in_flight_ = false;
};

}  // namespace

std::unique_ptr<Waiter> vulkan_waiter(bench::Workbench& bench, Way way, const bench::Launch& launch, const TaskParams& params) {
  return std::make_unique<VulkanWaiter>(bench::vulkan::vulkan_device(bench.device()).context(), way, launch, params);
}
