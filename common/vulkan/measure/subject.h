// Times what is recorded: between two timestamp queries, and by the host's clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/device/device.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/measure/body.h"
#include "vulkan/measure/gate.h"
#include "vulkan/measure/hold.h"
#include "vulkan/measure/l2_evictor.h"

namespace bench::vulkan {

// The only place that sets stamps, gates, holds submissions back, counts and waits in between: for the suite's own Work
// (body_of) and for what an experiment records itself.
class Subject final : public bench::Subject {
 public:
  // `evictor` is the device's, which may still be null: only a sample that asks for eviction needs it. `gate` is its as well,
  // null where there is none.
  Subject(const Context& context, const std::unique_ptr<L2Evictor>& evictor, const Gate* gate, Body body);

  // [gate] [eviction sweep | lead-in, before] stamp, batch, stamp. Several submissions are held until the last one is made,
  // where the device has timeline semaphores (VulkanChoice::timeline).
  DeviceTime time_device(const DeviceSampleSpec& spec) override;
  HostTimes time_host(std::uint32_t batch) override;
  const Kernel* kernel() const override { return body_.kernel; }

 private:
  void record_device_part(const DeviceSampleSpec& spec, std::uint32_t part);
  void record_host_part(std::uint32_t batch, std::uint32_t part);
  double expected_s(std::uint32_t launches) const;
  void settle();
  void submit(CommandSlot& slot, const std::function<void(std::uint32_t)>& record, Hold::Scope* held);
  bool is_several() const { return body_.one_by_one && body_.parts > 1; }

  const Context& context_;
  const std::unique_ptr<L2Evictor>& evictor_;
  const Gate* gate_;
  Body body_;
  // Ahead of the slots, which wait for what is in flight before these go.
  vk::raii::QueryPool stamps_;
  std::optional<Hold> hold_;
  vk::raii::Semaphore order_{nullptr};      // of several queues
  std::vector<vk::raii::Semaphore> joins_;  // likewise: where they run side by side, one for each
  std::uint64_t reached_ = 0;               // by it
  CommandSlot device_slot_;
  CommandSlot host_slot_;
  CommandSlot before_slot_;  // `before`, or nothing but a full barrier
  bool has_barrier_ = false;
  // What the slots hold unless it is recorded anew.
  std::optional<DeviceSampleSpec> recorded_device_;
  std::optional<std::uint32_t> recorded_host_batch_;
  double launch_ns_ = 0;  // the last sample's, stamps included; 0: none yet
};

}  // namespace bench::vulkan
