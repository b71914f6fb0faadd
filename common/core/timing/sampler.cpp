#include "core/timing/sampler.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <thread>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/random.h"

namespace bench {
namespace {

// Stamps may cost a timed batch 1 % (docs/METHOD.md, How a time is taken); at 200 times their cost they take half of that.
constexpr double kStampMargin = 200;
// Nor is a batch shorter than this: what the host does between samples then costs less than the samples.
constexpr double kMinBatchNs = 1e6;
// Nor longer: a batch of short launches is long enough then.
constexpr std::uint32_t kMaxBatch = 512;
// Fewer distinct readings than this, or than half of a few, mean that the timer's resolution was reached, not that the kernel
// is steady.
constexpr std::size_t kMinDistinct = 5;
// Untimed launches before a case's samples take a part of its time, and no more than this.
constexpr double kWarmupPart = 0.1;
constexpr double kWarmupSeconds = 0.02;
// Host times take a part of its time, and no less than some round trips.
constexpr double kHostPart = 0.2;
constexpr std::size_t kLeastHostSamples = 2;
// Throttled samples in a row that are retaken at once; then each is preceded by a pause, twice as long as the one before.
constexpr std::size_t kRetakesAtOnce = 3;
constexpr double kFirstPauseS = 0.1;
constexpr double kLongestPauseS = 5;
constexpr double kSliceS = 0.05;  // of a pause, between two looks for a signal
// Noise has been stable when the inter-quartile range, as a part of the median, moved less than this over the last checks.
constexpr double kNoiseDrift = 0.05;
constexpr std::size_t kNoiseStart = 64;
constexpr std::size_t kNoiseStride = 16;
constexpr std::size_t kNoiseChecks = 5;

class Sampling {
 public:
  Sampling(std::span<Subject* const> subjects, const SamplerOptions& options)
      : subjects_(subjects), options_(options), now_(options.now_s ? options.now_s : now_s), noise_(subjects.size()) {
    started_ = now_();
    result_.order = subjects.size() == 2 ? "ABBA" : "A";
    if (subjects.empty() || subjects.size() > 2)
      throw Error("the sampler takes one subject or a pair, not {}", subjects.size());
    for (const Subject* subject : subjects) max_batch_ = std::clamp(subject->most_held(), 1U, max_batch_);
    result_.timed_by_host = subjects.front()->timed_by_host();
    if (subjects.back()->timed_by_host() != result_.timed_by_host)
      throw Error("of a pair both sides are timed by the host, or none");
  }

  // Call nothing after it.
  SampleSet result() { return std::move(result_); }

  // Runs both sides untimed until clocks and caches have settled, then sizes the batch by the quicker side.
  void choose_batch() {
    result_.batch = options_.cache == Cache::kCold ? 1 : std::max(1U, options_.fixed_batch);
    double quickest = std::numeric_limits<double>::infinity();
    for (Subject* subject : subjects_) quickest = std::min(quickest, run_untimed(*subject));
    if (options_.fixed_batch != 0 || options_.cache == Cache::kCold || result_.timed_by_host) return;
    // A single launch carries the stamps' own cost, so the first guess is small; two more looks settle it.
    for (int look = 0; look < 3; ++look) {
      const double wanted = std::max(kStampMargin * options_.stamp_cost_ns, kMinBatchNs) / std::max(quickest, 1.0);
      const auto batch = static_cast<std::uint32_t>(std::clamp(std::ceil(wanted), 1.0, static_cast<double>(max_batch_)));
      if (batch <= result_.batch) break;
      result_.batch = batch;
      quickest = std::numeric_limits<double>::infinity();
      for (Subject* subject : subjects_) {
        subject->time_device(spec());
        quickest = std::min(quickest, subject->time_device(spec()).ns / result_.batch);
      }
    }
  }

  // Whether the samples are all. A batch whose times are steps of the timer's resolution starts over, larger, where it can.
  bool is_done() {
    result_.stop = reason_to_stop();
    if (result_.stop != "resolution" || !can_enlarge()) return !result_.stop.empty();
    result_.batch = std::min(result_.batch * 4, max_batch_);
    result_.samples.clear();
    for (auto& noise : noise_) noise.clear();
    last_noise_check_ = {};
    return false;
  }
  bool is_timed_by_host() const { return result_.timed_by_host; }

  // One A for a single side; A B B A or B A A B for a pair, so that a linear drift cancels within the round.
  std::vector<std::uint32_t> next_round() {
    if (subjects_.size() == 1) return {0};
    const std::uint32_t lead = random_bits(options_.seed, 0, round_++) & 1U;
    return {lead, 1 - lead, 1 - lead, lead};
  }

  // The GPU's clock takes no part in it, so no sample is taken again. The partner ran last, on this GPU but in another context:
  // an untimed submission first, so that the switch is not billed.
  void add_host_times(std::uint32_t side) {
    check_interrupt();
    if (subjects_.size() == 2) subjects_[side]->time_host(result_.batch);
    const HostTimes times = subjects_[side]->time_host(result_.batch);
    result_.samples.push_back({.side = side,
                               .position = static_cast<std::uint32_t>(result_.samples.size()),
                               .roundtrip_ns = times.roundtrip_ns / result_.batch,
                               .submit_ns = times.submit_ns / result_.batch});
  }

  void take_device_sample(std::uint32_t side) {
    for (std::size_t throttled = 0;;) {
      check_interrupt();
      const DeviceTime time = subjects_[side]->time_device(spec());
      const ClockReading clock = options_.read_clock ? options_.read_clock() : ClockReading{};
      if (clock.throttled) {
        ++result_.discarded;
        ++result_.throttled[side];
        if (++throttled > kRetakesAtOnce) let_recover(*subjects_[side], throttled);
        continue;
      }
      result_.timed_s += time.ns * 1e-9;
      result_.samples.push_back({.side = side,
                                 .position = static_cast<std::uint32_t>(result_.samples.size()),
                                 .device_ns = time.ns / result_.batch,
                                 .sm_mhz = clock.sm_mhz,
                                 .gated = time.gated});
      return;
    }
  }

  // Host times come after the device samples: they need an idle GPU, no stamps and no gate, and must not disturb those.
  void take_host_samples() {
    const double start = now_();
    for (std::size_t i = 0; i < options_.host_samples; ++i) {
      if (i >= kLeastHostSamples && now_() - start >= kHostPart * options_.budget_s) return;
      for (std::uint32_t place = 0; place < subjects_.size(); ++place) {
        add_host_times(static_cast<std::uint32_t>(i % 2 == 0 ? place : subjects_.size() - 1 - place));
      }
    }
  }

 private:
  DeviceSampleSpec spec() const { return sample_spec(options_.cache, result_.batch); }

  // The pause counts neither as the case's time nor as settled: untimed launches follow it, as idling lowers the clocks too.
  void let_recover(Subject& subject, std::size_t throttled) {
    const double pause_s = std::min(kLongestPauseS, std::ldexp(kFirstPauseS, static_cast<int>(throttled - kRetakesAtOnce) - 1));
    if (paused_s_ + pause_s > options_.throttle_s) {
      throw Error("the GPU was throttled for {} samples in a row, and pauses of {:.3g} s together did not help", throttled,
                  paused_s_);
    }
    paused_s_ += pause_s;
    const double start = now_();
    while (now_() - start < pause_s) {
      check_interrupt();
      sleep_s(std::min(kSliceS, pause_s));
    }
    run_untimed(subject);
    started_ += now_() - start;
  }

  void sleep_s(double seconds) const {
    if (options_.sleep_s) {
      options_.sleep_s(seconds);
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
  }

  // Until clocks and caches have settled; returns what the last launch took, in ns.
  double run_untimed(Subject& subject) {
    const double start = now_();
    double last = 0;
    do {
      check_interrupt();
      last = (result_.timed_by_host ? subject.time_host(result_.batch).roundtrip_ns : subject.time_device(spec()).ns) /
             result_.batch;
    } while (now_() - start < std::min(kWarmupSeconds, kWarmupPart * options_.budget_s));
    return last;
  }

  // "" while sampling should go on. A short case is never stopped by luck: convergence counts only after min_timed_s of it.
  std::string reason_to_stop() {
    bool enough = true;
    bool converged = true;
    bool noise_stable = true;
    bool quantised = false;
    bool full = false;
    const bool out_of_time = now_() - started_ >= options_.budget_s;
    const std::size_t wanted = out_of_time ? std::min(options_.least_samples, options_.min_samples) : options_.min_samples;
    for (std::uint32_t side = 0; side < subjects_.size(); ++side) {
      const std::vector<double> values = result_.times_ns(side);
      const std::size_t n = values.size();
      if (n < wanted) return "";
      full = full || n >= options_.max_samples;
      if (distinct_values(values) < std::min(kMinDistinct, n / 2)) quantised = true;
      const Summary summary = summarize(values);
      enough = enough && summary.median * static_cast<double>(n) * result_.batch * 1e-9 >= options_.min_timed_s;
      converged = converged && summary.ci95 && summary.ci95->hi - summary.median <= options_.ci_target * summary.median &&
                  summary.median - summary.ci95->lo <= options_.ci_target * summary.median;
      noise_stable = is_noise_stable(side, values, summary.median) && noise_stable;
    }
    if (quantised && (enough || full || out_of_time || can_enlarge())) return "resolution";
    if (enough && converged) return "ci";
    if (enough && noise_stable) return "noise";
    if (full) return converged ? "ci" : "max_samples";
    if (out_of_time) return "budget";
    return "";
  }

  bool can_enlarge() const {
    return options_.cache == Cache::kWarm && options_.fixed_batch == 0 && !result_.timed_by_host && result_.batch < max_batch_;
  }

  bool is_noise_stable(std::uint32_t side, const std::vector<double>& values, double median_ns) {
    auto& history = noise_[side];
    if (values.size() >= kNoiseStart && values.size() >= last_noise_check_[side] + kNoiseStride) {
      last_noise_check_[side] = values.size();
      history.push_back((quantile(values, 0.75) - quantile(values, 0.25)) / median_ns);
      if (history.size() > kNoiseChecks) history.pop_front();
    }
    if (history.size() < kNoiseChecks) return false;
    const auto [low, high] = std::minmax_element(history.begin(), history.end());
    return *high - *low <= kNoiseDrift * *high;
  }

  void check_interrupt() const {
    if (options_.interrupted && options_.interrupted()) throw Interrupted{};
  }

  std::span<Subject* const> subjects_;
  const SamplerOptions& options_;
  std::uint32_t max_batch_ = kMaxBatch;
  std::function<double()> now_;
  std::vector<std::deque<double>> noise_;
  std::array<std::size_t, 2> last_noise_check_{};
  std::uint64_t round_ = 0;
  double started_ = 0;
  double paused_s_ = 0;
  SampleSet result_;
};

}  // namespace

std::vector<double> SampleSet::times_ns(std::uint32_t side) const {
  return figures_of(side, timed_by_host ? &Sample::roundtrip_ns : &Sample::device_ns);
}

std::size_t SampleSet::ungated(std::uint32_t side) const {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [&](const Sample& one) { return one.side == side && !one.gated; }));
}

std::vector<double> SampleSet::figures_of(std::uint32_t side, std::optional<double> Sample::*figure) const {
  std::vector<double> values;
  for (const Sample& sample : samples) {
    if (sample.side == side && sample.*figure) values.push_back(*(sample.*figure));
  }
  return values;
}

std::optional<double> SampleSet::median_of(std::uint32_t side, std::optional<double> Sample::*figure) const {
  const std::vector<double> values = figures_of(side, figure);
  if (values.empty()) return std::nullopt;
  return median(values);
}

SampleSet sample(std::span<Subject* const> subjects, const SamplerOptions& options) {
  Sampling sampling(subjects, options);
  sampling.choose_batch();
  do {
    for (const std::uint32_t side : sampling.next_round()) {
      if (sampling.is_timed_by_host()) {
        sampling.add_host_times(side);
      } else {
        sampling.take_device_sample(side);
      }
    }
  } while (!sampling.is_done());
  if (!sampling.is_timed_by_host()) sampling.take_host_samples();
  return sampling.result();
}

double measure_stamp_cost(Subject& nothing, std::size_t count) {
  std::vector<double> readings;
  for (std::size_t i = 0; i < count; ++i) readings.push_back(nothing.time_device({}).ns);
  return median(readings);
}

}  // namespace bench
