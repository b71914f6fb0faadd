#include "core/device/restored_subject.h"

#include <utility>

namespace bench {
namespace {

class RestoredSubject final : public Subject {
 public:
  RestoredSubject(Device& device, const Work& work, const std::vector<Work>& before)
      : device_(device),
        before_(before),
        timed_(device.prepare(work, {.before = before})),
        counted_(device.prepare(work, {})) {}

  const Kernel* kernel() const override { return timed_->kernel(); }
  DeviceTime time_device(const DeviceSampleSpec& spec) override {
    is_restored_ = false;
    DeviceSampleSpec alone = spec;
    alone.lead_in = 0;
    return timed_->time_device(alone);
  }
  HostTimes time_host(std::uint32_t batch) override {
    return std::exchange(is_restored_, false) ? counted_->time_host(batch) : timed_->time_host(batch);
  }
  std::uint32_t most_held() const override { return timed_->most_held(); }
  bool restores() const override { return true; }
  void restore() override {
    for (const Work& one : before_) device_.run(one);
    is_restored_ = true;
  }

 private:
  Device& device_;
  std::vector<Work> before_;
  std::unique_ptr<Subject> timed_;
  std::unique_ptr<Subject> counted_;  // without `before`
  bool is_restored_ = false;
};

}  // namespace

std::unique_ptr<Subject> restored(Device& device, const Work& work, const std::vector<Work>& before) {
  return std::make_unique<RestoredSubject>(device, work, before);
}

}  // namespace bench
