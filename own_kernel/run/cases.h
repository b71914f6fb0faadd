// A job as an experiment: its cases run through the same main as every other.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "core/experiment/experiment.h"
#include "run/side_run.h"

namespace bench::own {

// Which of a job's cases one process runs.
struct CaseWish {
  std::optional<std::size_t> alone;                       // this side, once at every size, to see whether it is right
  std::uint32_t process = 0;                              // of those that time, from 1
  std::set<std::pair<std::size_t, std::size_t>> without;  // side and sizes
  bool one_launch = false;                                // of each kernel, at the last sizes: for listings
};

inline constexpr std::string_view kExperiment = "own_kernel";

// The job and the outputs outlive it.
Experiment experiment_of(const Job& job, const CaseWish& wish, Outputs& outputs);

}  // namespace bench::own
