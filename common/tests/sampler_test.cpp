#include "core/timing/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::Each;
using testing::Field;
using testing::HasSubstr;

// Wall time that moves only when a fake subject works.
struct FakeClock {
  double seconds = 0;
};

// What one launch takes, in ns; `call` counts the subject's own timings.
using LaunchTime = std::function<double(std::size_t call)>;

class FakeSubject final : public Subject {
 public:
  FakeSubject(FakeClock& clock, LaunchTime launch_ns) : clock_(clock), launch_ns_(std::move(launch_ns)) {}

  DeviceTime time_device(const DeviceSampleSpec& spec) override {
    specs.push_back(spec);
    double total_ns = stamp_ns + spec.batch * launch_ns_(specs.size() - 1);
    if (tick_ns > 0) total_ns = std::floor(total_ns / tick_ns) * tick_ns;
    clock_.seconds += total_ns * 1e-9 + overhead_s;
    return {total_ns, gated(specs.size() - 1)};
  }
  HostTimes time_host(std::uint32_t batch) override {
    const double launch_ns = by_host ? launch_ns_(host_calls) : 700;
    ++host_calls;
    clock_.seconds += host_s;
    return {.roundtrip_ns = launch_ns * batch, .submit_ns = 300.0 * batch};
  }
  bool timed_by_host() const override { return by_host; }
  std::uint32_t most_held() const override { return held; }

  double stamp_ns = 0;       // added to every sample, as a pair of stamps is
  double tick_ns = 0;        // the timer's resolution
  double overhead_s = 1e-4;  // of the host, per sample
  double host_s = 0;         // of a host sample
  std::function<bool(std::size_t call)> gated = [](std::size_t) { return true; };
  std::vector<DeviceSampleSpec> specs;
  std::size_t host_calls = 0;
  bool by_host = false;
  std::uint32_t held = 100'000;

 private:
  FakeClock& clock_;
  LaunchTime launch_ns_;
};

// Times that spread uniformly by `part` either side of `mean_ns`.
LaunchTime uniform(double mean_ns, double part, std::uint64_t seed = 1) {
  return [=](std::size_t call) { return mean_ns * (1 + part * (2.0 * random_bits(seed, 0, call) * 0x1p-32 - 1)); };
}
LaunchTime normal(double mean_ns, double part, std::uint64_t seed) {
  return [=, random = std::mt19937_64(seed)](std::size_t) mutable {
    return std::normal_distribution<double>(mean_ns, part * mean_ns)(random);
  };
}
LaunchTime steady(double mean_ns) { return uniform(mean_ns, 1e-4); }

class SamplerTest : public testing::Test {
 protected:
  SamplerTest() {
    options_.now_s = [this] { return clock_.seconds; };
    options_.min_timed_s = 0;
    options_.budget_s = 1e6;
    options_.host_samples = 0;
    options_.fixed_batch = 1;  // a sample is a launch, except where the batch is what a test is about
  }

  FakeSubject subject(LaunchTime launch_ns) { return {clock_, std::move(launch_ns)}; }
  SampleSet one(Subject& a) { return sample(std::vector<Subject*>{&a}, options_); }
  SampleSet pair(Subject& a, Subject& b) { return sample(std::vector<Subject*>{&a, &b}, options_); }

  FakeClock clock_;
  SamplerOptions options_;
};

std::string sides(const SampleSet& set) {
  std::string text;
  for (const Sample& sample : set.samples) text += sample.side == 0 ? 'A' : 'B';
  return text;
}

// ---- By whose clock

TEST_F(SamplerTest, SubjectsThatTheHostTimesAreSampledAlikeAndNeverByTheDevice) {
  options_.host_samples = 10;
  options_.read_clock = [] { return ClockReading{.sm_mhz = 300, .throttled = true}; };  // no matter for the host
  FakeSubject a = subject(steady(5000));
  FakeSubject b = subject(steady(7000));
  a.by_host = b.by_host = true;
  a.host_s = b.host_s = 1e-4;
  const SampleSet set = pair(a, b);
  EXPECT_EQ(set.stop, "ci");
  EXPECT_TRUE(set.timed_by_host);
  EXPECT_EQ(set.order, "ABBA");
  EXPECT_TRUE(a.specs.empty());
  ASSERT_FALSE(set.samples.empty());
  for (const Sample& sample : set.samples) {
    EXPECT_FALSE(sample.device_ns) << "GPU time, of which there is none";
    EXPECT_TRUE(sample.roundtrip_ns);
    EXPECT_EQ(sample.submit_ns, 300.0);
  }
  EXPECT_NEAR(median(set.times_ns(1)) / median(set.times_ns(0)), 1.4, 0.01);
  EXPECT_EQ(set.discarded, 0U);
}

TEST_F(SamplerTest, ThePairOfAHostsTimeWithAGpusIsRefused) {
  FakeSubject a = subject(steady(1000));
  FakeSubject b = subject(steady(1000));
  b.by_host = true;
  EXPECT_THROW(pair(a, b), Error);
}

// ---- When to stop

TEST_F(SamplerTest, SteadyTimesStopAtTheFewestSamples) {
  FakeSubject a = subject(steady(1000));
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "ci");
  EXPECT_EQ(set.samples.size(), options_.min_samples);
  EXPECT_EQ(set.order, "A");
  EXPECT_EQ(set.batch, 1U);
}

TEST_F(SamplerTest, SteadyTimesGoOnUntilEnoughTimeWasMeasured) {
  options_.min_timed_s = 100 * 1000e-9;  // 100 samples of 1000 ns
  FakeSubject a = subject(steady(1000));
  FakeSubject b = subject(steady(1200));
  const SampleSet set = pair(a, b);
  EXPECT_EQ(set.stop, "ci");
  EXPECT_NEAR(static_cast<double>(set.times_ns(0).size()), 101, 1) << "and the slower side as often";
  EXPECT_EQ(set.times_ns(0).size(), set.times_ns(1).size());
  EXPECT_NEAR(set.timed_s, 1e-9 * (1000 + 1200) * static_cast<double>(set.times_ns(0).size()), 1e-6);
}

TEST_F(SamplerTest, NoisyButStationaryTimesStopAtNoise) {
  options_.max_samples = 5000;
  FakeSubject a = subject(uniform(1000, 0.3));
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "noise");
  EXPECT_GE(set.samples.size(), 64U + 4 * 16) << "five looks, 16 samples apart, from the 64th on";
  EXPECT_LT(set.samples.size(), 5000U);
}

TEST_F(SamplerTest, NoiseThatGrowsIsNotStable) {
  FakeSubject a = subject([](std::size_t call) { return uniform(1000, 0.001 * static_cast<double>(call))(call); });
  EXPECT_EQ(one(a).stop, "max_samples");
}

TEST_F(SamplerTest, StopsAtTheBudget) {
  options_.budget_s = 1;
  FakeSubject a = subject(uniform(1000, 0.3));
  a.overhead_s = 0.02;
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "budget");
  EXPECT_NEAR(clock_.seconds, 1, 0.021);
}

TEST_F(SamplerTest, TakesTheLeastSamplesWhateverTheBudget) {
  options_.budget_s = 5e-4;
  FakeSubject a = subject(uniform(1000, 0.3));
  EXPECT_EQ(one(a).samples.size(), options_.least_samples);
  options_.min_samples = 6;
  EXPECT_EQ(one(a).samples.size(), 6U);
}

TEST_F(SamplerTest, WarmsUpForAPartOfTheBudget) {
  options_.budget_s = 0.01;
  FakeSubject a = subject(uniform(1000, 0.3));
  a.overhead_s = 1e-4;
  const SampleSet set = one(a);
  EXPECT_NEAR(static_cast<double>(a.specs.size() - set.samples.size()), 10, 1) << "1 ms of 10";
  EXPECT_NEAR(clock_.seconds, 0.01, 2e-4);
}

TEST_F(SamplerTest, HostTimesEndWithTheirPartOfTheBudget) {
  options_.budget_s = 1;
  options_.host_samples = 10;
  FakeSubject a = subject(steady(1000));
  a.host_s = 0.09;  // 0.2 s are for them
  EXPECT_EQ(one(a).median_of(0, &Sample::roundtrip_ns), 700);
  EXPECT_EQ(a.host_calls, 3U);
  FakeSubject slow = subject(steady(1000));
  slow.host_s = 10;
  one(slow);
  EXPECT_EQ(slow.host_calls, 2U) << "some, whatever they take";
}

TEST_F(SamplerTest, StopsAtTheMostSamples) {
  options_.max_samples = 48;
  FakeSubject a = subject(uniform(1000, 0.3));
  FakeSubject b = subject(steady(1000));
  const SampleSet set = pair(a, b);
  EXPECT_EQ(set.stop, "max_samples") << "one noisy side keeps both going";
  EXPECT_EQ(set.times_ns(0).size(), 48U);
  EXPECT_EQ(set.times_ns(1).size(), 48U);
}

TEST_F(SamplerTest, SteadyTimesHaveConvergedAtTheMostSamplesToo) {
  options_.min_timed_s = 1e3;
  FakeSubject a = subject(steady(1000));
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "ci");
  EXPECT_EQ(set.samples.size(), options_.max_samples);
}

// ---- Cache state and batch

TEST_F(SamplerTest, ColdEvictsBeforeEverySingleLaunch) {
  options_.cache = Cache::kCold;
  options_.stamp_cost_ns = 1000;
  for (const std::uint32_t fixed_batch : {0U, 8U}) {
    options_.fixed_batch = fixed_batch;
    FakeSubject a = subject(steady(1000));
    const SampleSet set = one(a);
    EXPECT_EQ(set.batch, 1U);
    EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::evict_l2, true)));
    EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::lead_in, 0U)));
    EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::batch, 1U)));
  }
}

TEST_F(SamplerTest, WarmRunsUntimedLaunchesFirst) {
  FakeSubject a = subject(steady(1000));
  one(a);
  EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::evict_l2, false)));
  EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::lead_in, testing::Gt(0U))));
}

// Of a launch of several calls fewer fit into a queue.
TEST_F(SamplerTest, AWarmBatchIsNoLongerThanIsHeldWhole) {
  options_.fixed_batch = 0;
  FakeSubject a = subject(steady(300));
  FakeSubject b = subject(steady(300));
  b.held = 300;
  EXPECT_EQ(one(a).batch, 512U);
  EXPECT_EQ(pair(a, b).batch, 300U);
  b.tick_ns = 1e6;  // no reading tells one from another, and no larger batch is there to try
  EXPECT_EQ(one(b).batch, 300U);
}

// The longer of 100 times the stamps' cost and 1 ms, unless 512 launches, what the queue takes, are over before.
TEST_F(SamplerTest, WarmBatchDwarfsTheStamps) {
  options_.fixed_batch = 0;
  options_.stamp_cost_ns = 1000;
  for (const double launch_ns : {300.0, 2000.0, 50000.0, 1e6}) {
    for (const bool quick_leads : {false, true}) {
      FakeSubject slow = subject(steady(20 * launch_ns));
      FakeSubject quick = subject(steady(launch_ns));
      slow.stamp_ns = quick.stamp_ns = options_.stamp_cost_ns;
      const SampleSet set = quick_leads ? pair(quick, slow) : pair(slow, quick);
      EXPECT_GE(set.batch * launch_ns, 100 * options_.stamp_cost_ns) << "the quicker side decides";
      EXPECT_GE(set.batch * launch_ns * 1.01, std::min(1e6, 512 * launch_ns));
      EXPECT_LE(set.batch * launch_ns, 1.01 * (1e6 + launch_ns)) << "and not much longer than it has to be";
      EXPECT_NEAR(median(set.times_ns(quick_leads ? 0 : 1)), launch_ns, 0.01 * launch_ns) << "the stamps add less than 1 %";
      EXPECT_EQ(quick.specs.back().batch, set.batch);
      EXPECT_EQ(slow.specs.back().batch, set.batch);
    }
  }
}

TEST_F(SamplerTest, CostlyStampsWantLongerBatches) {
  options_.fixed_batch = 0;
  options_.stamp_cost_ns = 20000;
  FakeSubject a = subject(steady(10000));
  a.stamp_ns = options_.stamp_cost_ns;
  EXPECT_GE(one(a).batch, 200U);  // 200 * 10 us = 100 * 20 us
}

TEST_F(SamplerTest, WarmBatchFitsTheLaunchQueue) {
  options_.fixed_batch = 0;
  options_.stamp_cost_ns = 1000;
  FakeSubject a = subject(steady(10));
  EXPECT_LE(one(a).batch, 1000U);
}

TEST_F(SamplerTest, FixedBatchIsKept) {
  options_.stamp_cost_ns = 1000;
  options_.fixed_batch = 7;
  FakeSubject a = subject([](std::size_t) { return 100.0; });
  const SampleSet set = one(a);
  EXPECT_EQ(set.batch, 7U);
  EXPECT_EQ(set.stop, "resolution") << "it may not be enlarged either";
  EXPECT_THAT(a.specs, Each(Field(&DeviceSampleSpec::batch, 7U)));
}

// ---- The timer's resolution

// 200 launches of 6 us last 1.2 ms and spread over 7.5 us, three ticks of the timer; 512 launches spread over seven.
TEST_F(SamplerTest, CoarseTimerEnlargesAWarmBatch) {
  options_.fixed_batch = 0;
  FakeSubject a = subject(uniform(6000, 0.003125));
  a.tick_ns = 2500;
  const SampleSet set = one(a);
  EXPECT_EQ(set.batch, 512U);
  EXPECT_NE(set.stop, "resolution");
  EXPECT_GE(distinct_values(set.times_ns(0)), 5U);
  for (const double value : set.times_ns(0)) {
    const double ticks = value * set.batch / a.tick_ns;
    EXPECT_NEAR(ticks, std::round(ticks), 1e-6) << "none is left of the smaller batches";
  }
}

TEST_F(SamplerTest, OneTimeOnlyIsResolutionEvenInTheLargestBatch) {
  options_.fixed_batch = 0;
  FakeSubject a = subject([](std::size_t) { return 5000.0; });
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "resolution");
  EXPECT_EQ(set.batch, 512U);
}

TEST_F(SamplerTest, CoarseTimerCannotEnlargeAColdBatch) {
  options_.fixed_batch = 0;
  options_.cache = Cache::kCold;
  FakeSubject a = subject(uniform(5000, 0.01));
  a.tick_ns = 1000;
  const SampleSet set = one(a);
  EXPECT_EQ(set.stop, "resolution");
  EXPECT_EQ(set.batch, 1U);
}

// ---- Order

TEST_F(SamplerTest, PairsInterleaveAbbaOrBaab) {
  options_.max_samples = options_.min_samples = 100;
  const auto order = [&](std::uint64_t seed) {
    options_.seed = seed;
    FakeSubject a = subject(steady(1000));
    FakeSubject b = subject(steady(1000));
    const SampleSet set = pair(a, b);
    EXPECT_EQ(set.order, "ABBA");
    for (std::size_t i = 0; i < set.samples.size(); ++i) EXPECT_EQ(set.samples[i].position, i);
    return sides(set);
  };
  const std::string first = order(1);
  ASSERT_EQ(first.size(), 200U);
  int abba = 0;
  for (std::size_t i = 0; i < first.size(); i += 4) {
    const std::string round = first.substr(i, 4);
    EXPECT_TRUE(round == "ABBA" || round == "BAAB") << round;
    abba += round == "ABBA" ? 1 : 0;
  }
  EXPECT_GT(abba, 10);
  EXPECT_LT(abba, 40);
  EXPECT_EQ(order(1), first);
  EXPECT_NE(order(2), first);
}

// A drift of 0.1 % per sample, 80 % over the case: both sides see the same of it.
TEST_F(SamplerTest, LinearDriftCancelsInThePair) {
  options_.max_samples = options_.min_samples = 400;
  double now_ns = 1000;
  const auto drifting = [&](std::size_t) { return now_ns += 1; };
  FakeSubject a = subject(drifting);
  FakeSubject b = subject(drifting);
  const SampleSet set = pair(a, b);
  const std::vector<double> times_a = set.times_ns(0);
  const std::vector<double> times_b = set.times_ns(1);
  EXPECT_GT(times_a.back() / times_a.front(), 1.5);
  EXPECT_DOUBLE_EQ(std::accumulate(times_a.begin(), times_a.end(), 0.0), std::accumulate(times_b.begin(), times_b.end(), 0.0));
  EXPECT_NEAR(median(times_a) / median(times_b), 1, 1.5e-3) << "within one step of the drift";
}

TEST_F(SamplerTest, OneOrTwoSubjects) {
  FakeSubject a = subject(steady(1000));
  EXPECT_THAT(message_of<Error>([&] { sample(std::vector<Subject*>{&a, &a, &a}, options_); }), HasSubstr("not 3"));
  EXPECT_THAT(message_of<Error>([&] { sample({}, options_); }), HasSubstr("not 0"));
  const SampleSet set = one(a);
  EXPECT_EQ(sides(set), std::string(set.samples.size(), 'A'));
  EXPECT_TRUE(set.times_ns(1).empty());
  EXPECT_FALSE(set.median_of(1, &Sample::device_ns));
}

// ---- What is kept

TEST_F(SamplerTest, WarmUpIsNotKept) {
  const LaunchTime slow_at_first = [](std::size_t call) { return (call < 3 ? 5e6 : 1e6) * uniform(1, 1e-4)(call); };
  FakeSubject a = subject(slow_at_first);
  FakeSubject b = subject(slow_at_first);
  const SampleSet set = pair(a, b);
  for (const Sample& sample : set.samples) EXPECT_LT(*sample.device_ns, 1.1e6);
  EXPECT_GT(a.specs.size(), set.times_ns(0).size() + 4);
}

TEST_F(SamplerTest, ThrottledSamplesAreRetaken) {
  FakeSubject a = subject([](std::size_t call) { return (call % 3 == 0 ? 9000 : 1000) * uniform(1, 1e-4)(call); });
  std::size_t throttled = 0;
  options_.read_clock = [&] {
    const bool slow = (a.specs.size() - 1) % 3 == 0;
    throttled += slow ? 1 : 0;
    return ClockReading{.sm_mhz = slow ? 300.0 : 1980.0, .throttled = slow};
  };
  const SampleSet set = one(a);
  EXPECT_EQ(set.samples.size(), options_.min_samples);
  EXPECT_GE(throttled, 9U);
  EXPECT_EQ(set.discarded, throttled);
  for (const Sample& sample : set.samples) {
    EXPECT_LT(*sample.device_ns, 1100);
    EXPECT_EQ(sample.sm_mhz, 1980.0);
  }
}

TEST_F(SamplerTest, AThrottledGpuIsGivenTime) {
  options_.budget_s = 1;  // which the pauses are not part of
  double slept_s = 0;
  options_.sleep_s = [&](double seconds) {
    slept_s += seconds;
    clock_.seconds += seconds;
  };
  options_.read_clock = [&] { return ClockReading{.sm_mhz = 1000.0, .throttled = slept_s < 2}; };
  FakeSubject a = subject(steady(1000));
  const SampleSet set = one(a);
  EXPECT_EQ(set.samples.size(), options_.min_samples);
  EXPECT_EQ(set.stop, "ci");
  EXPECT_GE(slept_s, 2);
  EXPECT_LT(slept_s, 7) << "pauses grow, so that few samples are taken in vain";
  EXPECT_LE(set.discarded, 10U);
}

TEST_F(SamplerTest, EndlessThrottlingIsAnError) {
  double slept_s = 0;
  options_.sleep_s = [&](double seconds) {
    EXPECT_LE(seconds, 0.1) << "a signal is heard in between";
    slept_s += seconds;
    clock_.seconds += seconds;
  };
  options_.read_clock = [] { return ClockReading{.sm_mhz = 300.0, .throttled = true}; };
  FakeSubject a = subject(steady(1000));
  EXPECT_THAT(message_of<Error>([&] { one(a); }),
              testing::AllOf(HasSubstr("was throttled for"), HasSubstr("samples in a row, and pauses of")));
  EXPECT_GT(slept_s, 20);
  EXPECT_LE(slept_s, options_.throttle_s + 0.1);
}

TEST_F(SamplerTest, ASignalEndsAPause) {
  double slept_s = 0;
  options_.sleep_s = [&](double seconds) {
    slept_s += seconds;
    clock_.seconds += seconds;
  };
  options_.interrupted = [&] { return slept_s > 1; };
  options_.read_clock = [] { return ClockReading{.sm_mhz = 300.0, .throttled = true}; };
  FakeSubject a = subject(steady(1000));
  EXPECT_THROW(one(a), Interrupted);
  EXPECT_LT(slept_s, 1.2);
}

TEST_F(SamplerTest, SamplesWithoutTheirGateAreCounted) {
  FakeSubject a = subject(steady(1000));
  FakeSubject b = subject(steady(1000));
  b.gated = [](std::size_t call) { return call % 4 != 0; };
  const SampleSet set = pair(a, b);
  EXPECT_EQ(set.ungated(0), 0U);
  EXPECT_NEAR(static_cast<double>(set.ungated(1)), static_cast<double>(set.times_ns(1).size()) / 4, 1);
}

TEST_F(SamplerTest, HostTimesAreSamplesOfTheirOwn) {
  options_.fixed_batch = 10;
  options_.host_samples = 7;
  FakeSubject a = subject(steady(1000));
  FakeSubject b = subject(steady(1000));
  const SampleSet set = pair(a, b);
  std::size_t host[2] = {0, 0};
  for (const Sample& sample : set.samples) {
    if (sample.device_ns) {
      EXPECT_FALSE(sample.roundtrip_ns);
      EXPECT_FALSE(sample.submit_ns);
    } else {
      EXPECT_EQ(sample.roundtrip_ns, 700.0) << "per launch";
      EXPECT_EQ(sample.submit_ns, 300.0);
      ++host[sample.side];
    }
  }
  EXPECT_EQ(host[0], 7U);
  EXPECT_EQ(host[1], 7U);
  EXPECT_EQ(a.host_calls, 14U) << "one untimed before each: the partner ran last";
  EXPECT_EQ(set.times_ns(0).size(), options_.min_samples);
  EXPECT_EQ(set.median_of(1, &Sample::roundtrip_ns), 700.0);
  EXPECT_EQ(set.samples.back().position, set.samples.size() - 1);
}

TEST_F(SamplerTest, InterruptEndsItBetweenSamples) {
  int asked = 0;
  options_.interrupted = [&] { return ++asked > 210; };
  FakeSubject a = subject(uniform(1000, 0.3));
  EXPECT_THROW(one(a), Interrupted);
  EXPECT_EQ(a.specs.size(), 210U);
}

TEST_F(SamplerTest, StampCostIsAMedian) {
  FakeSubject nothing = subject([](std::size_t call) { return call % 5 == 0 ? 90000.0 : 1250.0; });
  EXPECT_EQ(measure_stamp_cost(nothing), 1250);
  EXPECT_EQ(nothing.specs.size(), 50U);
  EXPECT_THAT(nothing.specs, Each(Field(&DeviceSampleSpec::batch, 1U)));
}

// ---- The whole of it: 1 % of noise, sampled and judged as a run does

struct PairTally {
  int faster = 0, slower = 0;
};

TEST_F(SamplerTest, RatiosAreRightMostOfTheTime) {
  constexpr int kTrials = 300;
  options_.max_samples = 200;
  const auto judge = [&](double shift) {
    PairTally tally;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      FakeSubject a = subject(normal(1000, 0.01, 2 * trial));
      FakeSubject b = subject(normal(1000 * shift, 0.01, 2 * trial + 1));
      const SampleSet set = pair(a, b);
      const auto found = ratio(summarize(set.times_ns(1)), summarize(set.times_ns(0)));
      tally.faster += found && found->hi < 0.99 ? 1 : 0;
      tally.slower += found && found->lo > 1.01 ? 1 : 0;
    }
    return tally;
  };
  const PairTally same = judge(1);
  EXPECT_LE(same.faster + same.slower, 0.05 * kTrials);
  const PairTally slower = judge(1.03);
  EXPECT_GE(slower.slower, 0.95 * kTrials);
  EXPECT_EQ(slower.faster, 0);
  const PairTally faster = judge(1 / 1.03);
  EXPECT_GE(faster.faster, 0.95 * kTrials);
  EXPECT_EQ(faster.slower, 0);
}

}  // namespace
}  // namespace bench
