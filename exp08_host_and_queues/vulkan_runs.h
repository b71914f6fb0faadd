// Work that an experiment records itself, timed as one: between two timestamps, and by the host's clock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vulkan/device/device.h"

struct VulkanBody {
  std::string name;
  const bench::Kernel* kernel = nullptr;
  std::uint32_t parts = 1;     // command buffers
  bool recorded_anew = false;  // for every submission; the host's times then have the recording in them
  bool submitted_one_by_one = false;
  std::uint32_t queues = 1;  // part i goes to compute queue i modulo this; more than one: ordered by a timeline semaphore.
                             // The first and the last part have to be queue 0's: timestamps compare on one queue only
  bool unordered = false;    // its dispatches may overlap, on words of their own
  std::function<void(const vk::raii::CommandBuffer&, std::uint32_t part)> record;
  std::function<void()> before = [] {};  // each submission, by the host, untimed
};

class VulkanRuns final : public bench::Subject {
 public:
  // `device` outlives the runs.
  VulkanRuns(const bench::vulkan::VulkanDevice& device, VulkanBody body);
  ~VulkanRuns() override;

  const bench::Kernel* kernel() const override { return body_.kernel; }
  // One body, whatever the batch. [gate] stamp, body, stamp.
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override;
  bench::HostTimes time_host(std::uint32_t batch) override;

 private:
  struct Set {
    vk::raii::CommandPool pool{nullptr};
    std::vector<vk::raii::CommandBuffer> commands;
    bool is_recorded = false;
  };
  void record(Set& set, bool stamped);
  void submit(const Set& set);
  void wait();

  const bench::vulkan::VulkanDevice& device_;
  const bench::vulkan::Context& context_;
  VulkanBody body_;
  Set stamped_;
  Set plain_;
  vk::raii::QueryPool stamps_{nullptr};
  vk::raii::Fence fence_{nullptr};
  vk::raii::Semaphore timeline_{nullptr};
  std::uint64_t reached_ = 0;  // by the timeline
  bool in_flight_ = false;
  double last_ns_ = 0;
};

// What orders two dispatches of one buffer: the first one's writes are seen by the second.
void order_dispatches(const vk::raii::CommandBuffer& commands);
