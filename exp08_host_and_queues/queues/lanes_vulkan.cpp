// Queues of up to three families, and memory that the host and the device see.
#include "core/base/watchdog.h"
#include "lanes.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/command.h"
#include "vulkan/memory/buffer.h"

namespace {

using bench::vulkan::Context;

constexpr double kExpectedS = 0.1;

struct Place {
  const vk::raii::Queue& queue;
  std::uint32_t family;
};

Place place_of(const Context& context, Lane lane) {
  switch (lane) {
    case Lane::kFirst:
      return {context.queue(), context.queue_family()};
    case Lane::kSecond:
      return {context.compute_queue(1), context.queue_family()};
    case Lane::kTransfer:
      return {context.transfer_queue().queue, context.transfer_queue().family};
    case Lane::kGraphics:
      return {context.graphics_queue().queue, context.graphics_queue().family};
  }
  throw bench::Error("no such lane");
}

class VulkanJob : public Job {
 public:
  VulkanJob(const Context& context, Lane lane)
      : slot_(context, place_of(context, lane).queue, place_of(context, lane).family),
        expected_s_(context.expected_s(kExpectedS)) {}
  void ready() final { slot_.ready(); }
  void submit() final { slot_.submit(); }
  void wait() final {
    const bench::Deadline deadline("work in a queue", expected_s_);
    slot_.wait(deadline.what());
  }

 protected:
  // Without a barrier: what is asked is what runs beside what, and the host waits in between.
  const vk::raii::CommandBuffer& begin() { return slot_.begin(false, bench::vulkan::CommandSlot::Opening::kNone); }

  bench::vulkan::CommandSlot slot_;

 private:
  double expected_s_;
};

class LaunchJob final : public VulkanJob {
 public:
  LaunchJob(const Context& context, Lane lane, const bench::Launch& launch)
      : VulkanJob(context, lane), command_(context, launch) {
    const vk::raii::CommandBuffer& commands = begin();
    command_.bind(commands);
    command_.record(commands);
    slot_.end();
  }

 private:
  bench::vulkan::Command command_;
};

class UploadJob final : public VulkanJob {
 public:
  UploadJob(const Context& context, Lane lane, const bench::vulkan::DeviceBuffer& to, vk::Buffer from, std::uint64_t bytes)
      : VulkanJob(context, lane) {
    const vk::raii::CommandBuffer& commands = begin();
    commands.copyBuffer(from, to.handle(), vk::BufferCopy{.size = bytes});
    slot_.end();
  }
};

class VulkanLanes final : public Lanes {
 public:
  explicit VulkanLanes(const Context& context) : context_(context) {}

  std::unique_ptr<Job> launch(Lane lane, const bench::Launch& launch) override {
    return std::make_unique<LaunchJob>(context_, lane, launch);
  }

  std::unique_ptr<Job> upload(Lane lane, const bench::Buffer& to, std::uint64_t bytes) override {
    if (!pinned_) {
      pinned_ = std::make_unique<bench::vulkan::StagingBuffer>(context_, kPinnedBytes);
      fill_pinned(pinned_->host());
    }
    return std::make_unique<UploadJob>(context_, lane, bench::vulkan::device_buffer(to), pinned_->handle(), bytes);
  }

 private:
  const Context& context_;
  std::unique_ptr<bench::vulkan::StagingBuffer> pinned_;
};

}  // namespace

std::unique_ptr<Lanes> vulkan_lanes(bench::Device& device) {
  return std::make_unique<VulkanLanes>(bench::vulkan::vulkan_device(device).context());
}
