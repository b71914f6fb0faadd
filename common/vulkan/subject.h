// Times one Work: between two timestamp queries, and by the host's clock.
#pragma once

#include <memory>
#include <optional>

#include "core/device.h"
#include "vulkan/command.h"
#include "vulkan/command_slot.h"
#include "vulkan/l2_evictor.h"

namespace bench::vulkan {

class Subject final : public bench::Subject {
 public:
  // `evictor` is the device's, which may still be null: only a sample that asks for eviction needs it.
  Subject(const Context& context, const std::unique_ptr<L2Evictor>& evictor, const Work& work, const SubjectOptions& options);

  DeviceTime time_device(const DeviceSampleSpec& spec) override;
  HostTimes time_host(std::uint32_t batch) override;
  const Kernel* kernel() const override { return work_.kernel(); }

 private:
  void record_device_sample(const DeviceSampleSpec& spec);
  void record_host_sample(std::uint32_t batch);
  double expected_s(std::uint32_t launches) const;
  void run_before();
  void record_batch(const vk::raii::CommandBuffer& commands, std::uint32_t batch) const;
  bool replay() const { return options_.mode == SubmitMode::kReplay; }

  const Context& context_;
  const std::unique_ptr<L2Evictor>& evictor_;
  SubjectOptions options_;
  Command work_;
  Command before_;
  vk::raii::QueryPool stamps_;
  CommandSlot device_slot_;
  CommandSlot host_slot_;
  // What the slots hold in SubmitMode::kReplay.
  std::optional<DeviceSampleSpec> recorded_device_;
  std::optional<std::uint32_t> recorded_host_batch_;
  double launch_ns_ = 0;  // the last sample's, stamps included; 0: none yet
};

}  // namespace bench::vulkan
