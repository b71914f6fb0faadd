// Times one Work: between two timestamp queries, and by the host's clock.
#pragma once

#include <memory>
#include <optional>

#include "core/device/device.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/launch/command.h"
#include "vulkan/measure/gate.h"
#include "vulkan/measure/l2_evictor.h"

namespace bench::vulkan {

class Subject final : public bench::Subject {
 public:
  // `evictor` is the device's, which may still be null: only a sample that asks for eviction needs it. `gate` is its as well,
  // null where there is none.
  Subject(const Context& context, const std::unique_ptr<L2Evictor>& evictor, const Gate* gate, const Work& work,
          const SubjectOptions& options);

  // [gate] [eviction sweep | lead-in launches, options.before] stamp, batch launches, stamp.
  DeviceTime time_device(const DeviceSampleSpec& spec) override;
  HostTimes time_host(std::uint32_t batch) override;
  const Kernel* kernel() const override { return work_.kernel(); }

 private:
  void record_device_sample(const DeviceSampleSpec& spec);
  void record_host_sample(std::uint32_t batch);
  double expected_s(std::uint32_t launches) const;
  void run_before();
  void settle();
  void record_batch(const vk::raii::CommandBuffer& commands, std::uint32_t batch) const;
  bool replay() const { return options_.mode == SubmitMode::kReplay; }

  const Context& context_;
  const std::unique_ptr<L2Evictor>& evictor_;
  const Gate* gate_;
  SubjectOptions options_;
  Command work_;
  Command before_;
  vk::raii::QueryPool stamps_;
  CommandSlot device_slot_;
  CommandSlot host_slot_;
  CommandSlot barrier_slot_;  // nothing but a full barrier
  bool has_barrier_ = false;
  // What the slots hold in SubmitMode::kReplay.
  std::optional<DeviceSampleSpec> recorded_device_;
  std::optional<std::uint32_t> recorded_host_batch_;
  double launch_ns_ = 0;  // the last sample's, stamps included; 0: none yet
};

}  // namespace bench::vulkan
