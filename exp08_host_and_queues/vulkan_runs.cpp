#include "vulkan_runs.h"

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/measure/timestamp.h"

using bench::Deadline;
using bench::HostClock;
using bench::ns_between;
using bench::vulkan::Context;

namespace {

// Validation follows whole buffers, not words.
class Hazards {
 public:
  Hazards(const Context& context, bool expected) : complaints_(expected ? context.complaints() : nullptr) {
    if (complaints_ != nullptr) complaints_->expect_hazards(true);
  }
  Hazards(const Hazards&) = delete;
  Hazards& operator=(const Hazards&) = delete;
  ~Hazards() {
    if (complaints_ != nullptr) complaints_->expect_hazards(false);
  }

 private:
  bench::vulkan::Complaints* complaints_;
};

}  // namespace

void order_dispatches(const vk::raii::CommandBuffer& commands) {
  using Stage = vk::PipelineStageFlagBits2;
  using Access = vk::AccessFlagBits2;
  bench::vulkan::memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, Stage::eComputeShader,
                                Access::eShaderStorageRead | Access::eShaderStorageWrite);
}

VulkanRuns::VulkanRuns(const bench::vulkan::VulkanDevice& device, VulkanBody body)
    : device_(device), context_(device.context()), body_(std::move(body)) {
  for (Set* set : {&stamped_, &plain_}) {
    set->pool = BENCH_VK(context_.device().createCommandPool({.queueFamilyIndex = context_.queue_family()}));
    set->commands =
        BENCH_VK(context_.device().allocateCommandBuffers({.commandPool = *set->pool, .commandBufferCount = body_.parts}));
  }
  stamps_ = BENCH_VK(context_.device().createQueryPool({.queryType = vk::QueryType::eTimestamp, .queryCount = 2}));
  fence_ = BENCH_VK(context_.device().createFence({}));
  if (body_.queues > 1) {
    const vk::SemaphoreTypeCreateInfo type{.semaphoreType = vk::SemaphoreType::eTimeline};
    timeline_ = BENCH_VK(context_.device().createSemaphore({.pNext = &type}));
  }
}

VulkanRuns::~VulkanRuns() {
  if (!in_flight_) return;  // only after an exception
  const Deadline deadline("an earlier submission", context_.expected_s(0));
  try {
    static_cast<void>(context_.device().waitForFences(*fence_, true, UINT64_MAX));
  } catch (const vk::SystemError&) {  // a lost device uses nothing any more
  }
}

// The stamps stand as the suite's own do: see common/vulkan/measure/subject.cpp.
void VulkanRuns::record(Set& set, bool stamped) {
  if (set.is_recorded && !body_.recorded_anew) return;
  const Hazards hazards(context_, body_.unordered);
  BENCH_VK(set.pool.reset());
  for (std::uint32_t part = 0; part < body_.parts; ++part) {
    const vk::raii::CommandBuffer& commands = set.commands[part];
    vk::CommandBufferBeginInfo info;
    if (body_.recorded_anew) info.flags = vk::CommandBufferUsageFlagBits::eOneTimeSubmit;
    BENCH_VK(commands.begin(info));
    if (stamped && part == 0) {
      commands.resetQueryPool(*stamps_, 0, 2);
      if (device_.gate() != nullptr) device_.gate()->record(commands);
      bench::vulkan::full_barrier(commands);
      commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 0);
    }
    body_.record(commands, part);
    if (stamped && part + 1 == body_.parts) {
      order_dispatches(commands);
      commands.writeTimestamp2(vk::PipelineStageFlagBits2::eAllCommands, *stamps_, 1);
    }
    BENCH_VK(commands.end());
  }
  set.is_recorded = true;
}

void VulkanRuns::submit(const Set& set) {
  const Hazards hazards(context_, body_.unordered);
  std::vector<vk::CommandBufferSubmitInfo> infos;
  infos.reserve(body_.parts);
  for (const vk::raii::CommandBuffer& one : set.commands) infos.push_back({.commandBuffer = *one});
  if (!body_.submitted_one_by_one) {
    const vk::SubmitInfo2 whole{.commandBufferInfoCount = body_.parts, .pCommandBufferInfos = infos.data()};
    BENCH_VK(context_.queue().submit2(whole, *fence_));
    in_flight_ = true;
    return;
  }
  for (std::uint32_t part = 0; part < body_.parts; ++part) {
    vk::SubmitInfo2 one{.commandBufferInfoCount = 1, .pCommandBufferInfos = &infos[part]};
    const vk::PipelineStageFlags2 all = vk::PipelineStageFlagBits2::eAllCommands;
    const vk::SemaphoreSubmitInfo after{.semaphore = *timeline_, .value = reached_, .stageMask = all};
    const vk::SemaphoreSubmitInfo done{.semaphore = *timeline_, .value = reached_ + 1, .stageMask = all};
    if (body_.queues > 1) {
      if (part > 0) {
        one.waitSemaphoreInfoCount = 1;
        one.pWaitSemaphoreInfos = &after;
      }
      one.signalSemaphoreInfoCount = 1;
      one.pSignalSemaphoreInfos = &done;
      ++reached_;
    }
    // The fence of the last one: it signals after all that was submitted before to its queue, too.
    const bool is_last = part + 1 == body_.parts;
    BENCH_VK(context_.compute_queue(part % body_.queues).submit2(one, is_last ? *fence_ : vk::Fence()));
    in_flight_ = in_flight_ || is_last;
  }
}

void VulkanRuns::wait() {
  const bool is_cpu = context_.info().is_cpu;  // needs the core that polling would keep busy
  const auto completed = [&] {
    return is_cpu ? BENCH_VK(context_.device().waitForFences(*fence_, true, UINT64_MAX)) : BENCH_VK(fence_.getStatus());
  };
  while (completed() != vk::Result::eSuccess) {
  }
  in_flight_ = false;
}

bench::DeviceTime VulkanRuns::time_device(const bench::DeviceSampleSpec& /*spec*/) {
  body_.before();
  record(stamped_, true);
  const Deadline deadline(body_.name, context_.expected_s(1e-9 * last_ns_));
  submit(stamped_);
  wait();
  BENCH_VK(context_.device().resetFences(*fence_));
  const auto [result, ticks] = BENCH_VK(
      stamps_.getResults<std::uint64_t>(0, 2, 2 * sizeof(std::uint64_t), sizeof(std::uint64_t), vk::QueryResultFlagBits::e64));
  if (result != vk::Result::eSuccess) {
    throw bench::Error("the timestamps around {} did not come: {}", body_.name, vk::to_string(result));
  }
  last_ns_ = bench::vulkan::elapsed_ns(ticks[0], ticks[1], context_.timestamp_valid_bits(),
                                       static_cast<double>(context_.limits().timestampPeriod));
  return {last_ns_};
}

bench::HostTimes VulkanRuns::time_host(std::uint32_t /*batch*/) {
  body_.before();
  if (!body_.recorded_anew) record(plain_, false);
  const Deadline deadline(body_.name, context_.expected_s(1e-9 * last_ns_));
  const auto begin = HostClock::now();
  if (body_.recorded_anew) record(plain_, false);
  submit(plain_);
  const auto submitted = HostClock::now();
  wait();
  const auto completed = HostClock::now();
  BENCH_VK(context_.device().resetFences(*fence_));
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}
