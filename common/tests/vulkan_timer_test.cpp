// The Vulkan timer, against a kernel of known length: one invocation that spins by the device's own clock.
#include <algorithm>
#include <limits>

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/measure/gate.h"
#include "vulkan_fixture.h"

namespace bench::vulkan {
namespace {

class VulkanTimerTest : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    try {
      kernel_ = device().load({.images = &support_kernel("spin"),
                               .entry = "spin",
                               .block_x = 1,
                               .glsl_constants = {},
                               .buffers = 1,
                               .params_bytes = sizeof(SpinParams)});
    } catch (const Skip& skip) {
      GTEST_SKIP() << skip.what();
    }
    elapsed_ = device().allocate(4, "elapsed");
    calibrate();
  }

  Launch spin(std::uint32_t ticks) const {
    const SpinParams params{.ticks = ticks, .max_steps = std::numeric_limits<std::uint32_t>::max()};
    return {.kernel = kernel_.get(), .grid = {1, 1, 1}, .buffers = {elapsed_.get()}, .params = bytes_of(params)};
  }
  Launch spin_ms(double ms) const { return spin(static_cast<std::uint32_t>(ms * ticks_per_ms_)); }

  // Samples until the least of them is at most `enough`: an interruption only ever adds.
  double device_ms(const Work& work, double enough, const DeviceSampleSpec& spec, const SubjectOptions& options = {}) {
    const std::unique_ptr<Subject> subject = device().prepare(work, options);
    return least_of([&] { return subject->time_device(spec).ns / 1e6; }, enough);
  }

  // How much too long a reading may be. A software device shares its cores with whatever else the machine does.
  double slack() { return device().info().is_cpu ? 3 : 1.1; }

  // Spins of `each_ms` that take `ms` together.
  void expect_spin(double ms, double each_ms, const DeviceSampleSpec& spec, const SubjectOptions& options = {}) {
    const double found = device_ms(spin_ms(each_ms), 1.05 * ms, spec, options);
    EXPECT_GT(found, 0.9 * ms);
    EXPECT_LT(found, slack() * ms);
  }

 private:
  template <class Sample>
  static double least_of(const Sample& sample, double enough) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 20 && least > enough; ++i) {
      least = std::min(least, sample());
    }
    return least;
  }

  // The device clock's rate differs by vendor (1 ns on NVIDIA, 10 ns on AMD), so the host's clock gives it: the difference of
  // two spins, which frees it of what a submission costs. Mesa's software devices count the host's ns.
  void calibrate() {
    if (device().info().is_cpu) {
      ticks_per_ms_ = 1e6;
      return;
    }
    const auto roundtrip_ms = [this](std::uint32_t ticks) {
      const std::unique_ptr<Subject> subject = device().prepare(spin(ticks), {});
      const double ms = least_of([&] { return subject->time_host(1).roundtrip_ns / 1e6; }, 0);
      std::vector<std::uint32_t> seen(1);
      device().download(*elapsed_, 0, std::as_writable_bytes(std::span(seen)));
      EXPECT_GE(seen[0], ticks);  // else the clock stood still
      return ms;
    };
    constexpr std::uint32_t kTicks = 2'000'000;
    ticks_per_ms_ = kTicks / (roundtrip_ms(2 * kTicks) - roundtrip_ms(kTicks));
  }

  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Buffer> elapsed_;
  double ticks_per_ms_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Vulkan, VulkanTimerTest, testing::Bool(), validation_name);

// 200 spins of 20 ms in one submission, of which the watchdog waits for the first few.
TEST_P(VulkanTimerTest, WorkThatTakesTooLongEndsTheProgram) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a child of its own, with the driver's threads
  EXPECT_EXIT(
      {
        const std::unique_ptr<Subject> subject = device().prepare(spin_ms(20), {});
        set_timeout(0.2);
        start_watchdog();
        subject->time_device({.batch = 200});
      },
      testing::ExitedWithCode(kDeviceLost), "device lost: kernel spin: not finished after 0.2 s");
}

TEST_P(VulkanTimerTest, ReadsKnownLengths) {
  expect_spin(2, 2, {});
  expect_spin(4, 4, {});
  expect_spin(20, 20, {});
}

TEST_P(VulkanTimerTest, ReadsNextToNothingForNoWork) {  // the negative control
  EXPECT_LT(device_ms(spin(0), 0.1, {}), 0.5);
  EXPECT_LT(device_ms(Nothing{}, 0.1, {}), 0.5);
}

TEST_P(VulkanTimerTest, ReadsTheWholeBatchInBothModes) {
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    expect_spin(8, 2, {.batch = 4}, {.mode = mode});
  }
}

// What is left out would take 18 ms more, or (a software device's sweep) 10.
TEST_P(VulkanTimerTest, LeavesLeadInAndEvictionOut) {
  device().set_evict_bytes(128ULL << 20);
  expect_spin(2, 2, {.lead_in = 9});
  expect_spin(2, 2, {.evict_l2 = true});
  expect_spin(2, 2, {.lead_in = 9, .evict_l2 = true}, {.mode = SubmitMode::kReplay});
  EXPECT_THROW(device().set_evict_bytes(64ULL << 20), Error);
}

TEST_P(VulkanTimerTest, RefusesToEvictWithoutASize) {
  const std::unique_ptr<Subject> subject = device().prepare(spin(0), {});
  EXPECT_THROW(subject->time_device({.evict_l2 = true}), Error);
  EXPECT_GE(subject->time_device({}).ns, 0);  // and works on
}

TEST_P(VulkanTimerTest, ReplaysWhatWasAskedForLast) {
  const std::unique_ptr<Subject> subject = device().prepare(spin_ms(2), {.mode = SubmitMode::kReplay});
  EXPECT_GT(subject->time_device({.batch = 9}).ns, 0.9 * 18e6);
  EXPECT_LT(subject->time_device({.batch = 1}).ns, 0.9 * 18e6);
  EXPECT_GT(subject->time_device({.batch = 9}).ns, 0.9 * 18e6);
}

TEST_P(VulkanTimerTest, HostTimesEncloseTheWork) {
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const std::unique_ptr<Subject> subject = device().prepare(spin_ms(2), {.mode = mode});
    for (const std::uint32_t batch : {1U, 2U}) {
      const HostTimes times = subject->time_host(batch);
      EXPECT_GT(times.roundtrip_ns, 1.8e6 * batch);
      EXPECT_GT(times.submit_ns, 0);
      EXPECT_LT(times.submit_ns, times.roundtrip_ns);
    }
  }
}

TEST_P(VulkanTimerTest, TimesAHundredLaunches) { expect_spin(20, 0.2, {.batch = 100}); }

TEST_P(VulkanTimerTest, TimesCopies) {
  const std::unique_ptr<Buffer> source = device().allocate(16ULL << 20, "source");
  const std::unique_ptr<Buffer> destination = device().allocate(16ULL << 20, "destination");
  device().fill(*source, 0, source->bytes(), 1);
  const Copy copy{.source = source.get(), .destination = destination.get(), .bytes = source->bytes()};
  const double nothing = device_ms(Nothing{}, 0, {});
  const double one = device_ms(copy, 0, {.lead_in = 1});
  const double eight = device_ms(copy, 0, {.batch = 8, .lead_in = 1});
  EXPECT_GT(one, nothing);
  EXPECT_GT(eight, 2 * one);
}

// What is put back is there for each sample, whatever was done to it in between.
TEST_P(VulkanTimerTest, WhatComesBeforeASampleRunsBeforeEachOfThem) {
  const std::unique_ptr<Buffer> kept = device().allocate(4096, "kept");
  const std::unique_ptr<Buffer> used = device().allocate(4096, "used");
  const std::unique_ptr<Buffer> seen = device().allocate(4096, "seen");
  device().fill(*kept, 0, 4096, 1);
  const Copy put_back{.source = kept.get(), .destination = used.get(), .bytes = 4096};
  const Copy use{.source = used.get(), .destination = seen.get(), .bytes = 4096};
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const auto subject = device().prepare(use, {.mode = mode, .before = put_back});
    const auto expect_put_back = [&](const auto& sample) {
      device().fill(*used, 0, 4096, 2);
      sample();
      std::vector<std::uint32_t> words(1024);
      device().download(*seen, 0, std::as_writable_bytes(std::span(words)));
      EXPECT_EQ(words, std::vector<std::uint32_t>(1024, 1));
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      expect_put_back([&] { subject->time_device({.lead_in = 2}); });
      expect_put_back([&] { subject->time_host(1); });
    }
    EXPECT_THROW(subject->time_device({.batch = 2}), Error);
    EXPECT_THROW(subject->time_host(2), Error);
  }
  // The work before is not in the times.
  const double alone = device_ms(Nothing{}, 0, {});
  const auto nothing = device().prepare(Nothing{}, {.before = spin_ms(20)});
  EXPECT_LT(nothing->time_device({}).ns * 1e-6, alone + 10);
  EXPECT_LT(nothing->time_host(1).roundtrip_ns * 1e-6, 10);
}

// What every device sample begins with: forty in one submission keep the device busy for a millisecond.
TEST_P(VulkanTimerTest, TheGateKeepsTheDeviceBusyForAWhile) {
  const Context context(device().info(), {});
  const Gate gate(context);
  CommandSlot slot(context);
  const auto least_ms = [&](int gates) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 10; ++i) {
      const vk::raii::CommandBuffer& commands = slot.begin(true);
      for (int gate_number = 0; gate_number < gates; ++gate_number) {
        gate.record(commands);
        full_barrier(commands);
      }
      slot.end();
      const double start = now_s();
      slot.submit();
      slot.wait("gates");
      least = std::min(least, 1e3 * (now_s() - start));
    }
    return least;
  };
  const double gates_ms = least_ms(40) - least_ms(0);
  EXPECT_GT(gates_ms, 0.9 * 40 * kGateNs * 1e-6);
  EXPECT_LT(gates_ms, 10 * slack() * 40 * kGateNs * 1e-6);
}

// The device's own subjects record it: before every device sample, however submitted, and before no host time.
TEST_P(VulkanTimerTest, EveryDeviceSampleBeginsWithTheGate) {
  const Gate* gate = vulkan_device(device()).gate();
  ASSERT_NE(gate, nullptr) << "kernels read a clock here";
  const auto ticks_after = [&](const auto& sample) {
    device().fill(const_cast<DeviceBuffer&>(gate->elapsed()), 0, sizeof(std::uint32_t), 0);
    sample();
    std::uint32_t ticks = 0;
    device().download(gate->elapsed(), 0, std::as_writable_bytes(std::span(&ticks, 1)));
    return ticks;
  };
  const auto wanted = static_cast<std::uint32_t>(kGateNs / device().info().realtime_tick_ns);
  device().set_evict_bytes(1 << 20);
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const std::unique_ptr<Subject> subject = device().prepare(spin(0), {.mode = mode});
    for (const DeviceSampleSpec& spec : {DeviceSampleSpec{}, DeviceSampleSpec{.batch = 4, .lead_in = 2, .evict_l2 = false},
                                         DeviceSampleSpec{.batch = 1, .lead_in = 0, .evict_l2 = true}}) {
      EXPECT_GE(ticks_after([&] { subject->time_device(spec); }), wanted);
      EXPECT_GE(ticks_after([&] { subject->time_device(spec); }), wanted) << "a sample like the one before";
    }
    EXPECT_EQ(ticks_after([&] { subject->time_host(1); }), 0U);
  }
}

// Overlapping launches race on purpose; the layer's hazards about them are no complaints.
TEST_P(VulkanTimerTest, OverlappingLaunchesAreNoComplaint) {
  const std::unique_ptr<Buffer> source = device().allocate(4096, "source");
  const std::unique_ptr<Buffer> destination = device().allocate(4096, "destination");
  const Copy copy{.source = source.get(), .destination = destination.get(), .bytes = 4096};
  EXPECT_GT(device().prepare(copy, {.ordered = false})->time_device({.batch = 4}).ns, 0);
  EXPECT_GT(device().prepare(spin_ms(0.1), {.ordered = false})->time_device({.batch = 4}).ns, 0.09e6);
}

}  // namespace
}  // namespace bench::vulkan
