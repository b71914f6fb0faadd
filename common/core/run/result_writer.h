// What the cases of a run come to, as rows of --csv's two files.
#pragma once

#include <cstdint>

#include "core/experiment/experiment.h"
#include "core/results/result_file.h"
#include "core/run/case_runner.h"
#include "core/run/open_devices.h"
#include "core/run/options.h"

namespace bench {

class ResultWriter {
 public:
  // Makes the files, or goes on with them (--resume): see ResultFile. All arguments outlive the writer.
  ResultWriter(const Experiment& experiment, const Options& options, const Plan& plan, const OpenDevices& devices);

  // True if an earlier run wrote this side's row.
  bool has(const Case& the_case, const Side& side) const;
  // Rows that are there and failed for good: see ResultFile.
  std::size_t given_up() const { return file_.given_up(); }
  // Whether an earlier run wrote a row that is ok.
  bool has_ok() const { return file_.has_ok(); }
  void write(const Case& the_case, const CaseResult& result);
  // Throws Error if what was written has been removed or replaced since.
  void check_in_place() const { file_.check_in_place(); }

 private:
  // What is known of a side whatever came of it.
  Values side_row(const Case& the_case, const Side& side, const SideResult& result) const;
  // Of a side that was timed, as this subject of the samples.
  Values figures(const Case& the_case, const SideResult& result, const SampleSet& samples, std::uint32_t subject) const;
  Values sample_row(const Case& the_case, const CaseResult& result, const Sample& one) const;

  const Experiment& experiment_;
  const Options& options_;
  const Plan& plan_;
  const OpenDevices& devices_;
  ResultFile file_;
};

}  // namespace bench
