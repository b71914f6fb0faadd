#include "core/run/case_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/code/machine_code.h"
#include "core/device/offers.h"
#include "core/run/case_list.h"
#include "core/run/end_check.h"

namespace bench {
namespace {

constexpr double kSmokeThrottleS = 0.5;

bool ran_out_of_memory(const CaseResult& result) {
  return std::any_of(result.sides.begin(), result.sides.end(), [](const SideResult& side) { return side.out_of_memory; });
}

// As NVML counts.
std::uint64_t us_since_epoch() {
  using std::chrono::microseconds;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

SideResult failure(const Error& error) {
  const bool out_of_memory = dynamic_cast<const OutOfMemory*>(&error) != nullptr;
  return {.status = Status::kFailed, .reason = error.what(), .out_of_memory = out_of_memory};
}

}  // namespace

void TimeSpent::add(const TimeSpent& more) {
  inputs_s += more.inputs_s;
  verify_s += more.verify_s;
  set_up_s += more.set_up_s;
  sampling_s += more.sampling_s;
  measure_s += more.measure_s;
  remaking_s += more.remaking_s;
}

std::variant<Prepared, SideResult> set_up(const Experiment& experiment, const Case& the_case, const Side& side,
                                          OpenDevice& open) {
  if (!open.device) {
    return SideResult{.status = open.failed ? Status::kFailed : Status::kSkipped, .reason = open.unavailable};
  }
  try {
    open.workbench->begin_case(output_name(experiment, the_case, side));
    if (the_case.l2_fetch_bytes != 0) {
      open.device->offer<L2Fetch>().set_l2_fetch_bytes(the_case.l2_fetch_bytes);
    } else if (auto* const fetch = open.device->as<L2Fetch>()) {
      fetch->set_l2_fetch_bytes(0);
    }
    return side.set_up(*open.workbench);
  } catch (const Skip& skip) {
    return SideResult{.status = Status::kSkipped, .reason = skip.what()};
  } catch (const Error& error) {
    return failure(error);
  }
}

std::optional<CaseResult> CaseRunner::run(const Case& the_case) {
  const std::uint64_t started_us = us_since_epoch();
  in_hand_ = {.started_at = utc_now(), .sides = std::vector<SideResult>(the_case.sides.size())};
  try {
    if (devices_.use(the_case.vulkan)) isa_hashes_.clear();  // by address, which a new kernel may get again
    try_once(the_case, false);
    if (ran_out_of_memory(in_hand_)) {
      devices_.release_buffers();
      try_once(the_case, true);
      if (ran_out_of_memory(in_hand_)) devices_.release_buffers();
    }
  } catch (const Interrupted&) {
    return {};
  } catch (const DeviceLost& why) {
    return lost(the_case, why);
  }
  refuse_company(started_us);
  in_hand_.gpu_s = in_hand_.samples.timed_s;
  for (const Sample& one : in_hand_.samples.samples) {
    const Side& side = the_case.sides[in_hand_.timed[one.side]];
    if (the_case.cache == Cache::kCold && one.device_ns) in_hand_.gpu_s += devices_.at(side.api).evict_s;
  }
  return in_hand_;
}

// set_up(), and what it took.
std::variant<Prepared, SideResult> CaseRunner::set_up_timed(const Case& the_case, const Side& side) {
  OpenDevice& open = devices_.at(side.api);
  if (!open.workbench) return set_up(experiment_, the_case, side, open);
  Workbench& bench = *open.workbench;
  const double input_s = bench.input_s();
  const double verify_s = bench.verify_s();
  const double started = now_s();
  std::variant<Prepared, SideResult> made = set_up(experiment_, the_case, side, open);
  const TimeSpent spent = {.inputs_s = bench.input_s() - input_s, .verify_s = bench.verify_s() - verify_s};
  in_hand_.spent.add(spent);
  in_hand_.spent.set_up_s += now_s() - started - spent.inputs_s - spent.verify_s;
  // A smoke run tests the experiments: `nothing` is what a case says, not what it forgot to say.
  if (options_.smoke && std::holds_alternative<Prepared>(made) && bench.has_forgotten_to_verify()) {
    return SideResult{
        .status = Status::kFailed,
        .reason = "a case says how its output was verified, or that nothing can be compared: this one says neither, or both"};
  }
  return made;
}

void CaseRunner::try_once(const Case& the_case, bool last) {
  in_hand_.sides.assign(the_case.sides.size(), {});
  in_hand_.samples = {};
  in_hand_.timed.clear();
  std::vector<std::optional<Prepared>> prepared(the_case.sides.size());
  std::vector<std::optional<Workbench::Remaking>> remaking(the_case.sides.size());
  std::vector<Subject*> subjects;
  for (std::size_t s = 0; s < prepared.size(); ++s) {
    const Side& side = the_case.sides[s];
    std::variant<Prepared, SideResult> made = set_up_timed(the_case, side);
    if (const auto* why_not = std::get_if<SideResult>(&made)) {
      in_hand_.sides[s] = *why_not;
      if (why_not->out_of_memory && !last) return;
      continue;
    }
    prepared[s] = std::get<Prepared>(std::move(made));
    in_hand_.sides[s].verified = devices_.at(side.api).workbench->verified();
    remaking[s] = devices_.at(side.api).workbench->to_remake();
    in_hand_.timed.push_back(s);
    subjects.push_back(prepared[s]->subject.get());
  }
  if (!subjects.empty()) {
    try {
      if (the_case.cache == Cache::kCold) devices_.prepare_eviction(evict_bytes_);
      const double started = now_s();
      if (!subjects.front()->timed_by_host()) devices_.measure_fixed_costs(the_case.cache);
      in_hand_.samples = sample(subjects, sampler_options(the_case));
      in_hand_.spent.sampling_s += now_s() - started;
      for (std::uint32_t i = 0; i < subjects.size(); ++i) note_times(the_case, *subjects[i], i);
    } catch (const Error& error) {
      for (const std::size_t s : in_hand_.timed) in_hand_.sides[s] = failure(error);
    }
  }
  const double started = now_s();
  for (const std::size_t s : in_hand_.timed) measure(the_case, *prepared[s], in_hand_.sides[s]);
  in_hand_.spent.measure_s += now_s() - started;
  for (const std::size_t s : in_hand_.timed) {
    if (remaking[s]) remake(the_case, s, *prepared[s]->subject, *remaking[s]);
  }
}

// Times are of a GPU that nobody else used. A smoke run takes none.
void CaseRunner::refuse_company(std::uint64_t started_us) {
  const std::optional<unsigned> other = options_.smoke ? std::nullopt : devices_.company_since(started_us);
  if (!other) return;
  for (const std::size_t s : in_hand_.timed) {
    if (in_hand_.sides[s].status != Status::kOk) continue;
    in_hand_.sides[s] = failure(Error("another process ({}) used the GPU meanwhile: --resume measures the case again", *other));
  }
}

CaseResult CaseRunner::lost(const Case& the_case, const DeviceLost& why) const {
  CaseResult result = {.started_at = in_hand_.started_at, .sides = in_hand_.sides, .lost = why.what()};
  for (std::size_t s = 0; s < result.sides.size(); ++s) {
    const OpenDevice& open = devices_.at(the_case.sides[s].api);
    if (result.sides[s].status == Status::kSkipped) continue;
    result.sides[s] = open.unavailable.empty() ? SideResult{.status = Status::kFailed, .reason = why.what()}
                                               : SideResult{.status = Status::kSkipped, .reason = open.unavailable};
  }
  return result;
}

void CaseRunner::note_times(const Case& the_case, const Subject& subject, std::uint32_t i) {
  const SampleSet& samples = in_hand_.samples;
  const std::size_t s = in_hand_.timed[i];
  SideResult& side = in_hand_.sides[s];
  side.status = Status::kOk;
  if (const std::size_t ungated = samples.ungated(i); ungated != 0) {
    side.reason = fmt::format("{} samples whose launches were not all queued before the first one began", ungated);
  }
  side.time_ns = summarize(samples.times_ns(i));
  side.batch = samples.batch;
  if (!samples.timed_by_host) side.fixed_cost = devices_.at(the_case.sides[s].api).fixed_costs.at(the_case.cache);
  if (the_case.useful_bytes != 0) side.gbps = static_cast<double>(the_case.useful_bytes) / side.time_ns->median;
  side.isa_hash = isa_hash_of(the_case.sides[s].api, subject.kernel());
  if (const Kernel* const kernel = subject.kernel()) side.toolkit = kernel->toolkit();
}

SamplerOptions CaseRunner::sampler_options(const Case& the_case) const {
  SamplerOptions sampler;
  sampler.cache = the_case.cache;
  sampler.fixed_batch = the_case.fixed_batch;
  for (const auto& [api, open] : devices_.all()) sampler.stamp_cost_ns = std::max(sampler.stamp_cost_ns, open.stamp_cost_ns);
  sampler.budget_s = options_.case_budget_s() * the_case.budget_part;
  sampler.min_timed_s = sampler.budget_s / 5;
  sampler.host_samples = options_.smoke ? 1 : the_case.host_samples;
  if (options_.smoke) {
    sampler.max_samples = sampler.min_samples = sampler.least_samples;
    sampler.throttle_s = kSmokeThrottleS;
    sampler.stamp_cost_ns = 0;  // nobody reads the times: short batches do
  }
  sampler.seed = options_.seed;
  sampler.interrupted = interrupted;
  sampler.read_clock = devices_.clock_reader();
  return sampler;
}

// Asked of the driver once a kernel, between two cases.
const std::string& CaseRunner::isa_hash_of(const Api& api, const Kernel* kernel) {
  const auto [found, is_new] = isa_hashes_.try_emplace(kernel);
  if (is_new && kernel != nullptr) found->second = devices_.isa_hash_of(api, *kernel);
  return found->second;
}

// A kernel that is right only sometimes passes one look at it: so there are more, launch by launch, through what was timed.
void CaseRunner::remake(const Case& the_case, std::size_t s, Subject& subject, const Workbench::Remaking& remaking) {
  SideResult& result = in_hand_.sides[s];
  if (result.status != Status::kOk) return;
  const double started = now_s();
  const bool cold = the_case.cache == Cache::kCold;
  const auto look = [&] {
    throw_if_interrupted();
    devices_.at(the_case.sides[s].api).workbench->remake(remaking, [&] {
      if (subject.timed_by_host()) {
        subject.time_host(remaking.launches);
      } else {
        subject.time_device({.batch = remaking.launches, .lead_in = 0, .evict_l2 = cold});
      }
    });
  };
  try {
    result.remade = look_again(in_hand_.spent.sampling_s / static_cast<double>(in_hand_.timed.size()), look, now_s);
  } catch (const Error& error) {
    result = failure(error);
  }
  in_hand_.spent.remaking_s += now_s() - started;
}

// What the side itself counted or reads back, once its times are taken.
void CaseRunner::measure(const Case& the_case, const Prepared& prepared, SideResult& result) const {
  if (result.status != Status::kOk) return;
  try {
    if (prepared.measure) {
      std::vector<Values> readings = {prepared.measure()};
      while (readings.size() < prepared.readings) {
        if (prepared.subject->timed_by_host()) {
          prepared.subject->time_host(1);
        } else {
          prepared.subject->time_device(sample_spec(the_case.cache, 1));
        }
        readings.push_back(prepared.measure());
      }
      result.measured = median_of(readings);
    }
    check_values(result.measured, experiment_.measured);
  } catch (const Error& error) {
    result = failure(error);
  }
}

}  // namespace bench
