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
  bool is_slower(double by = kSame) const;     // the second side, by more than this in every process
  bool is_faster(double by = kSame) const;     // likewise
  static constexpr double kSame = 0.01;        // as the worklogs': within 1 % is the same
};

// From a process's rows, in the order of the file, which may end anywhere.
void add_rows(std::vector<Measured>& measured, const Job& job, const Schema& schema, const std::vector<CsvRow>& rows);

struct Ending {
  std::vector<std::string> lines;  // of the console: fifteen at most
  bool is_slower = false;          // the second side, in some case as the driver has the checks; never on a software device
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
