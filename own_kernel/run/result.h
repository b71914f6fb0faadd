// What the processes that timed a job have measured, and how it is told.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/csv.h"
#include "core/base/stats.h"
#include "core/results/schema.h"
#include "run/side_run.h"

namespace bench::own {

// A side of a case in one process.
struct Timed {
  std::string status;
  std::string reason = {};
  Summary time_ns = {};  // median and interval alone
  double gbps = 0;
  double peak_pct = 0;
};

// A case, over all processes that timed it.
struct Measured {
  std::string variant;
  std::string sizes;
  std::string cache;
  std::string checks;                          // "off"; "": as the driver has them
  std::vector<std::vector<Timed>> sides = {};  // of the description, a Timed per process; none where it has no row
  std::vector<Ratio> ratios = {};              // second side / first side, of each process that has both
  double median(std::size_t side) const;       // of the processes' medians, ns; 0: none
  double gbps(std::size_t side) const;         // likewise, of the rates, GB/s
  std::optional<Ratio> ratio() const;          // the median of the ratios, and the least lo and the greatest hi
  // Processes whose whole interval says that the second side is slower by more than `by`; none unless they are two thirds of
  // all or more, and the second side was slower in the others, too. Of the A/A controls of the committed results, by three runs
  // of a board: 1 of 750 such triples of equal kernels is called slower (in every process: none), so among ten sizes a false
  // alarm comes in 1.3 % of programs. A kernel that is 3 % slower is found in 94.5 % of the triples (in every process: 89.5 %),
  // one that is 5 % slower in 98 %.
  std::size_t slower_in(double by = kSame) const;
  std::size_t faster_in(double by = kSame) const;  // likewise
  static constexpr double kSame = 0.01;            // as the worklogs': within 1 % is the same
};

// From a process's rows, in the order of the file, which may end anywhere.
void add_rows(std::vector<Measured>& measured, const Job& job, const Schema& schema, const std::vector<CsvRow>& rows);

struct Ending {
  std::vector<std::string> lines;   // of the console: fifteen at most
  std::vector<std::string> slower;  // cases as the driver has the checks, where the second side is; none on a software device
};
// What was timed on.
struct Board {
  std::string name = {};  // "" if there is none
  std::string driver = {};
  bool is_software = false;  // it decides nothing
};
// `faults`: what went wrong, a line each. `notes`: what was left out.
Ending ending_of(const Job& job, const std::vector<Measured>& measured, const std::vector<std::string>& faults,
                 const std::vector<std::string>& notes, const Board& device, std::uint32_t processes);

// Of --json: all of it, for programs.
std::string json_of(const Job& job, const std::vector<Measured>& measured, const std::vector<std::string>& faults,
                    const std::vector<std::string>& notes, const Board& device);

}  // namespace bench::own
