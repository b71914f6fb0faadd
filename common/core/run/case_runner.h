// Runs one case: sets its sides up, has them timed together, and says what came out of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/experiment/experiment.h"
#include "core/run/open_devices.h"
#include "core/run/options.h"
#include "core/timing/sampler.h"

namespace bench {

enum class Status : std::uint8_t { kOk, kFailed, kSkipped };
constexpr std::string_view to_string(Status status) {
  constexpr std::string_view kNames[] = {"ok", "failed", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

// What a case took, in seconds.
struct TimeSpent {
  double inputs_s = 0;    // made on the devices
  double verify_s = 0;    // outputs
  double set_up_s = 0;    // all else before the samples: buffers, kernels, one launch
  double sampling_s = 0;  // all of the sampler, which settles clocks and caches first
  double measure_s = 0;   // figures read back after the samples
  double remaking_s = 0;  // outputs made anew after the samples

  void add(const TimeSpent& more);
};

struct SideResult {
  Status status = Status::kFailed;
  std::string reason;
  std::optional<Summary> time_ns = {};  // GPU time of a launch; the host's where the host timed the case
  std::string isa_hash = {};            // of the kernel that was timed
  std::string_view toolkit = {};        // what compiled it; empty: what the device's own kernels are compiled by
  double gbps = 0;
  double batch = 1;
  std::optional<FixedCost> fixed_cost = {};
  Values measured = {};
  Verified verified = Verified::kNothing;
  std::uint32_t remade = 0;  // times that the output was made anew after the samples, and was the verified one
  bool out_of_memory = false;
};

struct CaseResult {
  std::string started_at;
  std::vector<SideResult> sides;
  SampleSet samples = {};
  std::vector<std::size_t> timed = {};  // which side each of the sampler's subjects is
  TimeSpent spent = {};
  double gpu_s = 0;       // what the GPU was timed for, and its eviction sweeps
  std::string lost = {};  // what DeviceLost said: no later case can run
};

// Allocates, fills, runs once, verifies: by checksums where the workbench has them of this output (Workbench::confirm). What is
// to be timed, or why there is nothing. Throws DeviceLost and Interrupted.
std::variant<Prepared, SideResult> set_up(const Experiment& experiment, const Case& the_case, const Side& side,
                                          OpenDevice& open);

class CaseRunner {
 public:
  // All of them outlive the runner. A cold case's sweep reads `evict_bytes`.
  CaseRunner(const Experiment& experiment, const Options& options, std::uint64_t evict_bytes, OpenDevices& devices)
      : experiment_(experiment), options_(options), evict_bytes_(evict_bytes), devices_(devices) {}

  // What runs out of memory is tried once more, after everything that can be released has been. nullopt: a signal came in
  // between; the case is lost, and nothing else.
  std::optional<CaseResult> run(const Case& the_case);

  // The case in hand, now that its device is lost: what has not been skipped by then has failed.
  CaseResult lost(const Case& the_case, const DeviceLost& why) const;

 private:
  std::variant<Prepared, SideResult> set_up_timed(const Case& the_case, const Side& side);
  // Fills in_hand_. `last`: a side that runs out of memory fails alone; else the case ends there.
  void try_once(const Case& the_case, bool last);
  // Of the sampler's subject i, from its samples.
  void note_times(const Case& the_case, const Subject& subject, std::uint32_t i);
  SamplerOptions sampler_options(const Case& the_case) const;
  const std::string& isa_hash_of(const Api& api, const Kernel* kernel);
  void measure(const Case& the_case, const Prepared& prepared, SideResult& result) const;
  void remake(const Case& the_case, std::size_t s, Subject& subject, const Workbench::Remaking& remaking);
  void refuse_company(std::uint64_t started_us);

  const Experiment& experiment_;
  const Options& options_;
  std::uint64_t evict_bytes_;
  OpenDevices& devices_;
  std::map<const Kernel*, std::string> isa_hashes_;
  CaseResult in_hand_;
};

}  // namespace bench
