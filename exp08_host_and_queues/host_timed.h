// A subject that the host times: something that a program does, and waits for.
#pragma once

#include <functional>
#include <utility>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/device/device.h"

using bench::HostClock;
using bench::ns_between;

class HostTimed final : public bench::Subject {
 public:
  // `once` does it once and says what it took: to hand it over, and in all.
  explicit HostTimed(std::function<bench::HostTimes()> once, const bench::Kernel* kernel = nullptr)
      : once_(std::move(once)), kernel_(kernel) {}

  bool timed_by_host() const override { return true; }
  const bench::Kernel* kernel() const override { return kernel_; }
  bench::HostTimes time_host(std::uint32_t batch) override {
    bench::HostTimes sum;
    for (std::uint32_t i = 0; i < batch; ++i) {
      const bench::HostTimes one = once_();
      sum.roundtrip_ns += one.roundtrip_ns;
      sum.submit_ns += one.submit_ns;
    }
    return sum;
  }
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& /*spec*/) override {
    throw bench::Error("what the host times has no stamps on the GPU");
  }

 private:
  std::function<bench::HostTimes()> once_;
  const bench::Kernel* kernel_;
};
