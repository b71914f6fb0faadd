#include "core/base/error.h"
#include "sides.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using bench::vulkan::Context;

// A word that the host reads while the device may write it: in memory that both reach, coherent, cached by the host if there is
// such.
struct HostFlag {
  vk::raii::DeviceMemory memory{nullptr};
  vk::raii::Buffer buffer{nullptr};
  volatile std::uint32_t* word = nullptr;
  std::uint64_t address = 0;

  explicit HostFlag(const Context& context) {
    using Flag = vk::MemoryPropertyFlagBits;
    buffer = BENCH_VK(context.device().createBuffer(
        {.size = 4, .usage = vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress}));
    const vk::MemoryRequirements needs = buffer.getMemoryRequirements();
    const vk::MemoryPropertyFlags wishes[] = {Flag::eHostVisible | Flag::eHostCoherent | Flag::eHostCached,
                                              Flag::eHostVisible | Flag::eHostCoherent};
    for (const vk::MemoryPropertyFlags wish : wishes) {
      for (std::uint32_t type = 0; type < context.memory().memoryTypeCount && word == nullptr; ++type) {
        const vk::MemoryPropertyFlags found = context.memory().memoryTypes[type].propertyFlags;
        if ((found & wish) != wish || (needs.memoryTypeBits >> type & 1) == 0) continue;
        const vk::MemoryAllocateFlagsInfo flags{.flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
        memory =
            BENCH_VK(context.device().allocateMemory({.pNext = &flags, .allocationSize = needs.size, .memoryTypeIndex = type}));
        buffer.bindMemory(*memory, 0);
        word = static_cast<volatile std::uint32_t*>(BENCH_VK(memory.mapMemory(0, VK_WHOLE_SIZE)));
      }
    }
    if (word == nullptr) throw bench::Skip("memory that is host-visible and coherent wanted, none found");
    *word = 0;
    address = context.device().getBufferAddress({.buffer = *buffer});
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
    params_.flag_low = static_cast<std::uint32_t>(flag_.address);
    params_.flag_high = static_cast<std::uint32_t>(flag_.address >> 32);
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
