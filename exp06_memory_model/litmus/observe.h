// Running a litmus test many times over, and counting what came of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "tests.h"

namespace litmus {

// A launch, a power of two of threads, blocks and rounds each.
struct Shape {
  std::uint32_t threads = 0;  // of a block
  std::uint32_t test_blocks = 0;
  std::uint32_t stress_blocks = 0;
  std::uint32_t rounds = 0;
  std::uint32_t flag_looks = 0;  // of the test `flag`
  std::uint64_t instances() const { return std::uint64_t{threads} * test_blocks * rounds; }
};

// When to stop: whichever comes first, but never before one launch.
struct Effort {
  std::uint64_t instances = 0;
  double seconds = 0;
};

struct Plan {
  Shape shape;
  Effort forbidden;            // for a row whose weak outcomes no model allows
  Effort allowed;              // for the others
  std::uint32_t searched = 1;  // sets of stress parameters that are tried
  std::uint32_t tries = 1;     // launches of each
};

// What surrounds a test. Found by a search over seeded draws: which set makes the control go weak most often.
struct Stress {
  std::uint32_t spacing_log2 = 0;  // words between places
  bool scattered = false;          // a warp's 32 places lie in different lines
  std::uint32_t pre_stress = 0;
  std::uint32_t stress = 0;
  std::uint32_t align_polls = 0;
};

// The sets that were found, of each API, test and placement.
using Found = std::map<std::string, Stress>;

// One row of the CSV.
struct Row {
  const Test* test = nullptr;
  Strength strength{};
  Placement placement{};
};

// The columns that a row's observation fills.
std::vector<bench::Column> measured_columns();

// Verifies the kernels (one thread that plays all roles; a planted weak outcome that must be counted; one launch in which every
// instance must be accounted for), searches a set of stress parameters unless `found` has one, and returns the row's launch to
// be timed and its observation. Throws Skip where the kernel cannot run.
bench::Prepared set_up(bench::Workbench& bench, const Row& row, const Plan& plan, const std::shared_ptr<Found>& found);

// The same columns for a __constant__ variable that is overwritten while others read it; `entry` is one of constant.cu's.
bench::Prepared set_up_constant(bench::Workbench& bench, const std::string& entry, const Plan& plan);

}  // namespace litmus
