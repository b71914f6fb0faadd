// The only timing loop in the suite: takes one or two subjects, interleaves their samples, and decides when to stop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/stats.h"
#include "core/device/device.h"

namespace bench {

// The SM clock right after a sample.
struct ClockReading {
  std::optional<double> sm_mhz;
  bool throttled = false;
};

struct SamplerOptions {
  Cache cache = Cache::kWarm;
  std::uint32_t fixed_batch = 0;  // launches per sample; 0: chosen by the sampler
  // What an empty pair of stamps reads, the larger of the two sides, in ns. A warm batch lasts at least kStampMargin times
  // this.
  double stamp_cost_ns = 0;
  double budget_s = 1;            // wall time for the whole case
  double min_timed_s = 0.2;       // device time per side before the case may stop early
  std::size_t min_samples = 20;   // per side, unless the time is up
  std::size_t least_samples = 6;  // per side, when the time is up: the fewest whose median has a 95 % interval
  std::size_t max_samples = 300;  // per side
  std::size_t host_samples = 10;  // round trips per side
  double ci_target = 0.0025;      // half-width of the median's 95 % interval, as a part of the median
  std::uint64_t seed = 1;
  double throttle_s = 30;                                    // pauses, together, that a throttled GPU is given to recover in
  std::function<ClockReading()> read_clock;                  // may be empty
  std::function<double()> now_s;                             // steady seconds; empty: the host's steady clock
  std::function<void(double)> sleep_s;                       // empty: the host's
  std::function<bool()> interrupted = [] { return false; };  // asked between samples: yes throws Interrupted
};

struct Sample {
  std::uint32_t side = 0;
  std::uint32_t position = 0;               // in the order in which the case's samples were taken
  std::optional<double> device_ns = {};     // per launch; empty for a host sample
  std::optional<double> roundtrip_ns = {};  // per launch of one submission; empty for a device sample
  std::optional<double> submit_ns = {};
  std::optional<double> sm_mhz = {};
  bool gated = true;  // see DeviceTime
};

struct SampleSet {
  std::uint32_t batch = 1;
  std::string stop;            // why sampling ended: "ci", "noise", "budget", "max_samples", "resolution"
  bool timed_by_host = false;  // Subject::timed_by_host: no sample has device_ns
  std::string order;           // "A" (one side) or "ABBA" (pairs; which side leads is drawn anew for every four samples)
  std::vector<Sample> samples;
  std::size_t discarded = 0;               // throttled samples that were retaken
  std::array<std::size_t, 2> throttled{};  // the same, of each side
  double timed_s = 0;                      // device time between stamps, both sides, batches included

  // What a side is judged by: device_ns of its samples, or their roundtrip_ns where the host timed them.
  std::vector<double> times_ns(std::uint32_t side) const;
  std::size_t ungated(std::uint32_t side) const;                                                    // device samples
  std::vector<double> figures_of(std::uint32_t side, std::optional<double> Sample::*figure) const;  // of samples that have it
  std::optional<double> median_of(std::uint32_t side, std::optional<double> Sample::*figure) const;
};

// Times the subjects (one, or a pair). Throws Interrupted; Error if a subject throws it or if throttling does not end.
SampleSet sample(std::span<Subject* const> subjects, const SamplerOptions& options);

// The median of `count` readings of an empty stamp pair, ns. `nothing` is a Subject of Nothing.
double measure_stamp_cost(Subject& nothing, std::size_t count = 50);

}  // namespace bench
