// The Vulkan timer, against a kernel of known length: one invocation that spins by the device's own clock.
#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <limits>
#include <thread>

#include "core/base/process.h"
#include "core/base/stats.h"
#include "core/base/watchdog.h"
#include "restored_subject_check.h"
#include "vulkan/api/command_slot.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/command.h"
#include "vulkan/measure/gate.h"
#include "vulkan/measure/hold.h"
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
      kernel_ = device().load(
          {.images = &support_kernel("spin"), .entry = "spin", .block_x = 1, .buffers = 1, .params_bytes = sizeof(SpinParams)});
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
  device().set_evict_bytes(1 << 20);
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    const auto subject = device().prepare(use, {.mode = mode, .before = {put_back}});
    const auto expect_put_back = [&](const auto& sample) {
      device().fill(*used, 0, 4096, 2);
      sample();
      std::vector<std::uint32_t> words(1024);
      device().download(*seen, 0, std::as_writable_bytes(std::span(words)));
      EXPECT_EQ(words, std::vector<std::uint32_t>(1024, 1));
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      expect_put_back([&] { subject->time_device({.lead_in = 2}); });
      expect_put_back([&] { subject->time_device({.evict_l2 = true}); });
      expect_put_back([&] { subject->time_host(1); });
    }
    EXPECT_THROW(subject->time_device({.batch = 2}), Error);
    EXPECT_THROW(subject->time_host(2), Error);
  }
  // The work before is not in the times.
  const double alone = device_ms(Nothing{}, 0, {});
  const auto nothing = device().prepare(Nothing{}, {.before = {spin_ms(20)}});
  EXPECT_LT(nothing->time_device({}).ns * 1e-6, alone + 10);
  EXPECT_LT(nothing->time_host(1).roundtrip_ns * 1e-6, 10);
}

TEST_P(VulkanTimerTest, ARestoredLaunchHasNoLeadInAndIsCountedAlone) { check_restored(device()); }

// What every device sample begins with: forty in one submission keep the device busy for a millisecond.
TEST_P(VulkanTimerTest, TheGateKeepsTheDeviceBusyForAWhile) {
  const Context context(device().info(), {}, std::make_shared<Instance>(false));
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
      slot.ready();
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

// Two spins, a submission each, on one queue or on two; the host dawdles ahead of the second submission.
class HeldTest : public VulkanTimerTest {
 protected:
  static constexpr double kDawdlingMs = 60;  // of the bound of 100

  Body dawdling(bool dawdles, double ms = 1) {
    const auto command = std::make_shared<const Command>(vulkan_device(device()).context(), spin_ms(ms));
    Body body;
    body.name = "two spins";
    body.parts = 2;
    body.one_by_one = true;
    body.recorded_anew = true;
    body.record = [command, dawdles](const vk::raii::CommandBuffer& commands, std::uint32_t part, std::uint32_t /*times*/) {
      if (part == 1) order_dispatches(commands);
      if (part == 1 && dawdles) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kDawdlingMs));
      command->bind(commands);
      command->record(commands);
    };
    return body;
  }
  // Of five samples, in ms.
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    bool gated = false;  // the last one
  };
  Range range_ms(bool dawdles) {
    const std::unique_ptr<Subject> subject = vulkan_device(device()).prepare(dawdling(dawdles));
    Range range;
    for (int i = 0; i < 5; ++i) {
      const DeviceTime time = subject->time_device({});
      range.least = std::min(range.least, time.ns * 1e-6);
      range.most = std::max(range.most, time.ns * 1e-6);
      range.gated = time.gated;
    }
    return range;
  }
};

class WithTimelines : public HeldTest {
 protected:
  VulkanChoice choice() const override { return {.timeline = true}; }
};

INSTANTIATE_TEST_SUITE_P(Vulkan, HeldTest, testing::Bool(), validation_name);
INSTANTIATE_TEST_SUITE_P(Vulkan, WithTimelines, testing::Bool(), validation_name);

TEST_P(WithTimelines, ASlowHostTakesNoPartInGpuTime) {
  const Range range = range_ms(true);
  EXPECT_LT(range.least, kDawdlingMs / 2);
  EXPECT_GT(range.least, 1.8) << "both spins are timed";
  EXPECT_NE(range.gated, vulkan_device(device()).context().waits_on_the_host())
      << "whose thread hands over one after the other";
}

// The negative control. On a busy host the first submission itself may begin late, so not every sample shows the whole wait.
TEST_P(HeldTest, WithoutTimelinesASlowHostIsInGpuTimeAndTheSampleSaysSo) {
  const Range range = range_ms(true);
  EXPECT_GT(range.most, kDawdlingMs / 2);
  EXPECT_FALSE(range.gated);
  EXPECT_LT(range_ms(false).least, kDawdlingMs / 2);
}

TEST_P(WithTimelines, WhatIsHeldTooLongIsLetGoAndSaysSo) {
  const Context& context = vulkan_device(device()).context();
  Hold hold(context);
  Hold::Scope held(hold);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(held.release());
  Hold::Scope next(hold);
  EXPECT_TRUE(next.release());
}

TEST_P(WithTimelines, AnExceptionWhileSubmissionsAreHeldLetsThemGo) {
  Body body = dawdling(false);
  const auto record = body.record;
  bool throws = true;
  body.record = [&](const vk::raii::CommandBuffer& commands, std::uint32_t part, std::uint32_t times) {
    if (part == 1 && throws) throw Error("the second part cannot be recorded");
    record(commands, part, times);
  };
  const std::unique_ptr<Subject> subject = vulkan_device(device()).prepare(std::move(body));
  EXPECT_THROW(subject->time_device({}), Error);
  throws = false;
  EXPECT_GT(subject->time_device({}).ns, 0) << "the queue goes on";
  throws = true;
  EXPECT_THROW(subject->time_device({}), Error);  // and the subject ends in this state
}

// Rows of several submissions are measured on a device with timeline semaphores, and the others on one without. What stamps
// read must not depend on it.
TEST_P(HeldTest, TimelineSemaphoresChangeNoTimes) {
  if (device().info().is_cpu) GTEST_SKIP() << "a GPU wanted: its times are steady";
  const std::unique_ptr<Device> with = make_backend()->open(device().info(), {.vulkan = {.timeline = true}});
  const std::unique_ptr<Device> without = make_backend()->open(device().info(), {});
  struct Sampled {
    const char* name;
    bool is_empty_launch;
    std::uint32_t batch;
  };
  for (const Sampled& what :
       {Sampled{"a pair of stamps", false, 1}, Sampled{"an empty launch", true, 1}, Sampled{"64 empty launches", true, 64}}) {
    std::array<std::vector<double>, 2> found;
    std::vector<std::unique_ptr<bench::Subject>> subjects;
    for (Device* one : {with.get(), without.get()})
      subjects.push_back(one->prepare(what.is_empty_launch ? one->empty_launch() : Work{Nothing{}}, {}));
    for (std::size_t i = 0; i < 200; ++i) {
      for (const std::size_t side : {i % 2, (i + 1) % 2})
        found[side].push_back(subjects[side]->time_device({.batch = what.batch}).ns);
    }
    const double with_ns = median(found[0]);
    const double without_ns = median(found[1]);
    std::cout << what.name << ": " << with_ns << " ns with timeline semaphores, " << without_ns << " ns without\n";
    EXPECT_NEAR(with_ns, without_ns, std::max(64.0, 0.01 * without_ns)) << what.name;  // two steps of the clock
  }
}

// What --count divides by.
TEST_P(HeldTest, ASampleOfSeveralHasTheBodySoOften) {
  Body body;
  body.name = "nothing";
  std::uint32_t prepared = 0;
  body.prepare = [&] { ++prepared; };
  body.record = [](const vk::raii::CommandBuffer&, std::uint32_t, std::uint32_t times) { EXPECT_EQ(times, 1U); };
  const std::unique_ptr<Subject> subject = vulkan_device(device()).prepare(std::move(body));
  subject->time_host(7);
  EXPECT_EQ(prepared, 7U) << "submissions";
  subject->time_device({.batch = 3});
  EXPECT_EQ(prepared, 10U);
}

// Its reset would be in a host time.
TEST_P(HeldTest, ASubmissionBeforeTheFenceIsReadyIsAnError) {
  CommandSlot slot(vulkan_device(device()).context());
  slot.begin(false);
  slot.end();
  for (int i = 0; i < 2; ++i) {
    slot.ready();
    slot.submit();
    slot.wait("nothing");
  }
  EXPECT_THROW(slot.submit(), Error);
}

}  // namespace
}  // namespace bench::vulkan
