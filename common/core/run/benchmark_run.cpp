#include "core/run/benchmark_run.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "core/run/case_list.h"

namespace bench {

namespace {

// Google Benchmark does not look whether what it writes into a file gets there.
template <class Reporter>
class Checked final : public Reporter {
 public:
  explicit Checked(bool& is_written) : is_written_(is_written) {}
  void Finalize() override {
    Reporter::Finalize();
    is_written_ = this->GetOutputStream().flush().good();
  }

 private:
  bool& is_written_;
};

struct PlainConsoleReporter : benchmark::ConsoleReporter {
  PlainConsoleReporter() : ConsoleReporter(OO_None) {}
};

// What writes the file, and then says whether all of it was written; nullptr for no file.
std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const BenchmarkFlags& flags, bool& is_written) {
  if (flags.out.empty()) return nullptr;
  if (flags.out_format == "console") return std::make_unique<Checked<PlainConsoleReporter>>(is_written);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // so far, every release has it
  if (flags.out_format == "csv") return std::make_unique<Checked<benchmark::CSVReporter>>(is_written);
#pragma GCC diagnostic pop
  return std::make_unique<Checked<benchmark::JSONReporter>>(is_written);
}

}  // namespace

void apply_benchmark_flags(const BenchmarkFlags& flags, const Experiment& experiment, std::vector<Case>& cases) {
  std::vector<std::string> texts = {std::string(experiment.name),
                                    "--benchmark_repetitions=1"};  // whatever the environment says
  texts.insert(texts.end(), flags.passed.begin(), flags.passed.end());
  std::vector<char*> args;
  for (std::string& text : texts) args.push_back(text.data());
  int argc = static_cast<int>(args.size());
  benchmark::Initialize(&argc, args.data());
  benchmark::BenchmarkReporter::Context::executable_name =
      experiment.name.data();  // it kept a pointer to `texts`; names are literals
  if (argc > 1) throw UsageError("Google Benchmark does not know {}", args[1]);

  const std::string text = flags.filter.empty() ? benchmark::GetBenchmarkFilter() : flags.filter;  // the environment's
  benchmark::SetBenchmarkFilter("");
  const NameFilter filter(text);
  keep_sides(cases, [&](const Case& one, const Side& side) {
    return filter.wants(benchmark_name(experiment, one, side) + "/iterations:1/manual_time");
  });
  if (cases.empty()) throw UsageError("--benchmark_filter={} matches nothing; see --benchmark_list_tests", text);
  // What is in the file already stays until there is something to replace it.
  if (!flags.out.empty() && !std::ofstream(flags.out, std::ios::app)) {
    throw UsageError("--benchmark_out={}: {}", flags.out, std::generic_category().message(errno));
  }
}

BenchmarkRun::BenchmarkRun(const Experiment& experiment, const Options& options, const OpenDevices& devices, CaseRunner& runner,
                           std::optional<ResultWriter> writer, double started_s)
    : experiment_(experiment),
      options_(options),
      devices_(devices),
      runner_(runner),
      writer_(std::move(writer)),
      started_s_(started_s) {}

int BenchmarkRun::run(std::vector<Case> cases) {
  cases_ = std::move(cases);
  add_context();
  // A side whose partner alone is finished (another filter, a row cut short) runs without it: no row is written twice.
  if (writer_) keep_sides(cases_, [&](const Case& one, const Side& side) { return !writer_->has(one, side); });
  if (cases_.empty()) {
    say(fmt::format("{}: nothing is left to do: {} has a row for every case", experiment_.name, options_.csv));
    return writer_->given_up() != 0 ? kFailed : kOk;
  }
  results_.resize(cases_.size());
  register_cases();
  report_.emplace(experiment_, cases_.size(), started_s_);
  bool is_written = false;
  const auto reporter = file_reporter(options_.benchmark, is_written);
  benchmark::RunSpecifiedBenchmarks(nullptr, reporter.get());
  benchmark::Shutdown();
  const int code = finish();
  if (reporter == nullptr || is_written) return code;
  say(fmt::format("--benchmark_out={}: the file could not be written to its end", options_.benchmark.out));
  return kFailed;
}

void BenchmarkRun::add_context() const {
  benchmark::AddCustomContext("experiment", std::string(experiment_.name));
  benchmark::AddCustomContext("git_rev", std::string(git_revision()));
  benchmark::AddCustomContext("seed", std::to_string(options_.seed));
  for (const auto& [api, open] : devices_.all()) {
    benchmark::AddCustomContext(std::string(to_string(api)),
                                open.device ? fmt::format("{}, driver {}, {}, empty stamp pair {:.2f} us", open.info.name,
                                                          open.info.driver, open.info.toolkit, open.stamp_cost_ns * 1e-3)
                                            : open.unavailable);
  }
}

void BenchmarkRun::register_cases() {
  const auto can_run = [&](const Side& side) { return devices_.at(side.api).device != nullptr; };
  for (std::size_t c = 0; c < cases_.size(); ++c) {
    const std::vector<Side>& sides = cases_[c].sides;
    // The first side to be asked for runs the whole case. A side whose API is missing gets its CSV row with the case; only when
    // no side can run is there an entry to report it.
    const bool nobody = std::none_of(sides.begin(), sides.end(), can_run);
    for (std::size_t s = 0; s < sides.size(); ++s) {
      if (!can_run(sides[s]) && !(nobody && s == 0)) continue;
      benchmark::RegisterBenchmark(benchmark_name(experiment_, cases_[c], sides[s]).c_str(),
                                   [this, c, s](benchmark::State& state) {
                                     if (!interrupted() && !results_[c]) run_case(c);
                                     report(c, s, state);
                                   })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

// Google Benchmark's view of one side.
void BenchmarkRun::report(std::size_t c, std::size_t s, benchmark::State& state) const {
  const SideResult* result = results_[c] ? &(*results_[c])[s] : nullptr;
  if (result == nullptr) {
    state.SkipWithError("interrupted");
  } else if (result->status != Status::kOk) {
    state.SkipWithError(fmt::format("{}: {}", to_string(result->status), result->reason).c_str());
  }
  for (auto _ : state) {
    if (result != nullptr && result->time_ns) state.SetIterationTime(result->time_ns->median * 1e-9);
  }
  if (result == nullptr || !result->time_ns) return;
  if (result->gbps > 0) state.counters["GB/s"] = result->gbps;
  state.counters["samples"] = static_cast<double>(result->time_ns->samples);
  state.counters["batch"] = result->batch;
  if (result->time_ns->ci95) {
    const double half = (result->time_ns->ci95->hi - result->time_ns->ci95->lo) / 2;
    state.counters["ci95_pct"] = 100 * half / result->time_ns->median;
  }
}

void BenchmarkRun::run_case(std::size_t c) {
  const Case& the_case = cases_[c];
  report_->start_case(c, the_case);
  const LastWords last_words([&](const DeviceLost& why) { record(c, runner_.lost(the_case, why)); });
  std::optional<CaseResult> result = runner_.run(the_case);
  if (!result) return;
  record(c, *result);
  if (!result->lost.empty()) {
    say(result->lost);
    std::cout.flush();
    leave(kDeviceLost);
  }
  results_[c] = std::move(result->sides);
}

void BenchmarkRun::record(std::size_t c, const CaseResult& result) {
  if (writer_) {
    const Unbroken writing;
    writer_->write(cases_[c], result);
  }
  report_->end_case(c, cases_[c], result);
}

int BenchmarkRun::finish() const {
  const bool has_complaints = devices_.complained();
  if (writer_) writer_->check_in_place();
  if (interrupted()) {
    say(options_.csv.empty() ? "interrupted" : "interrupted: --resume goes on with the unfinished cases");
    return kInterruptedBySignal;
  }
  if (options_.benchmark.list_tests) return kOk;
  report_->end_run();
  const bool given_up = writer_ && writer_->given_up() != 0;
  if (report_->count(Status::kFailed) != 0 || given_up || has_complaints) return kFailed;
  const bool has_ok = report_->count(Status::kOk) != 0 || (writer_ && writer_->has_ok());
  return !has_ok && report_->count(Status::kSkipped) != 0 ? kAllSkipped : kOk;
}

}  // namespace bench
