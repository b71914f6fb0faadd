// What a run says of itself on stderr: a line a case, and a last one of them all.
#pragma once

#include <cstddef>
#include <map>

#include "core/case_runner.h"
#include "core/experiment.h"
#include "core/process.h"

namespace bench {

class RunReport {
 public:
  // The run's time starts now. The experiment outlives the report.
  RunReport(const Experiment& experiment, std::size_t cases) : experiment_(experiment), cases_(cases), started_(now_s()) {}

  // Cases are numbered from 0. A terminal shows the one in hand, until its result takes the line over.
  void start_case(std::size_t number, const Case& the_case) const;
  void end_case(std::size_t number, const Case& the_case, const CaseResult& result);
  void end_run() const;

  // How many of the ended cases' sides are ok, failed or skipped.
  std::size_t count(Status status) const;

 private:
  const Experiment& experiment_;
  std::size_t cases_;
  double started_;
  std::map<Status, std::size_t> counts_;  // of sides, by status
  double gpu_s_ = 0;
  std::size_t discarded_ = 0;
};

}  // namespace bench
