// What a run says of itself on stderr: a line a case, and a last one of them all.
#pragma once

#include <array>
#include <cstddef>

#include "core/base/process.h"
#include "core/experiment/experiment.h"
#include "core/run/case_runner.h"

namespace bench {

class RunReport {
 public:
  // The first case starts now; the program began at `started_s`. The experiment outlives the report.
  RunReport(const Experiment& experiment, std::size_t cases, double started_s)
      : experiment_(experiment), cases_(cases), program_started_(started_s), started_(now_s()) {}

  // Cases are numbered from 0. A terminal shows the one in hand, until its result takes the line over.
  void start_case(std::size_t number, const Case& the_case) const;
  void end_case(std::size_t number, const Case& the_case, const CaseResult& result);
  void end_run() const;

  // How many of the ended cases' sides are ok, failed or skipped.
  std::size_t count(Status status) const { return counts_[static_cast<std::size_t>(status)]; }

 private:
  const Experiment& experiment_;
  std::size_t cases_;
  double program_started_;
  double started_;
  std::array<std::size_t, 3> counts_{};  // of sides, by status
  TimeSpent spent_;
  double gpu_s_ = 0;
  std::array<std::size_t, 3> verified_{};  // sides, by how
  std::size_t discarded_ = 0;
};

}  // namespace bench
