// The timed run, inside Google Benchmark: it lists, filters and prints; the sampler behind CaseRunner does the timing.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/case_runner.h"
#include "core/run/open_devices.h"
#include "core/run/options.h"
#include "core/run/result_writer.h"
#include "core/run/run_report.h"

namespace benchmark {
class State;
}

namespace bench {

// Hands Google Benchmark its flags, and drops the sides that its filter leaves out. Throws UsageError for a flag that it does
// not know, for a filter that is wrong or leaves nothing, and for a file that cannot be written.
void apply_benchmark_flags(const BenchmarkFlags& flags, const Experiment& experiment, std::vector<Case>& cases);

class BenchmarkRun {
 public:
  // All references outlive the run. Without a writer there are no files. The program began at `started_s` (see now_s).
  BenchmarkRun(const Experiment& experiment, const Options& options, const OpenDevices& devices, CaseRunner& runner,
               std::optional<ResultWriter> writer, double started_s);

  // Runs the cases, less the sides that the files have already, and returns the program's exit code. Once a process.
  int run(std::vector<Case> cases);

 private:
  void add_context() const;
  void register_cases();
  void report(std::size_t c, std::size_t s, benchmark::State& state) const;
  void run_case(std::size_t c);
  // Writes and reports what came out of a case.
  void record(std::size_t c, const CaseResult& result);
  int finish() const;

  const Experiment& experiment_;
  const Options& options_;
  const OpenDevices& devices_;
  CaseRunner& runner_;
  std::optional<ResultWriter> writer_;
  double started_s_;
  std::vector<Case> cases_;
  std::vector<std::optional<std::vector<SideResult>>> results_;  // one for each case that has run
  std::optional<RunReport> report_;
};

}  // namespace bench
