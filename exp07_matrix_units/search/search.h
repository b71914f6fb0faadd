// The search for the fastest shape of one type's product, within a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compilers.h"
#include "core/base/file_descriptor.h"
#include "core/code/isa_dump.h"
#include "core/experiment/workbench.h"
#include "products.h"
#include "space.h"

// What was found out about one shape.
struct Tried {
  Shape shape;
  std::string status;  // "ok", "skipped", "failed"
  std::string reason = {};
  double compile_s = 0;
  double ns = 0;  // of a launch: the least of its samples; of a finalist the median
  std::size_t samples = 0;
  // Of finalists alone: what the meter reads, and that the output was verified.
  std::optional<double> mhz = {};
  std::optional<double> power_w = {};
  bool verified = false;
};

// One line per shape, written when it is known: what is killed leaves whole lines.
class SearchFile {
 public:
  // Throws UsageError if the file is there: what was measured is not replaced.
  SearchFile(std::string path, std::string gpu, std::string driver);
  void add(const SearchGround& ground, std::string_view stage, const Tried& tried);

 private:
  std::string path_;
  std::string gpu_;
  std::string driver_;
  bench::FileDescriptor file_;
  double began_s_;
};

struct SearchLimits {
  std::vector<std::string> kernels = {};  // how the names of those that are tried begin; empty: all
  double budget_s = 75;                   // of all that one type takes
  double finals_part = 0.2;               // of it, for the finalists
  std::size_t finalists = 6;              // that are timed in turn
  std::size_t verified = 3;               // of these, the fastest, whose outputs are compared in full
  double near = 1.05;                     // of the best time: what is as fast as that is changed in one thing after another
  std::size_t before_near = 40;           // shapes of the space that are timed before anything is changed
};

// Where each shape is written down, and the finalists' machine code; nullptr: nowhere.
struct SearchRecord {
  SearchFile* file = nullptr;
  bench::IsaDump* dump = nullptr;
};

// Compiles on `compilers`, times on the bench's device, and returns the finalists, the fastest first.
std::vector<Tried> search(bench::Workbench& bench, Compilers& compilers, Products& products, const SearchGround& ground,
                          const SearchLimits& limits, const SearchRecord& record);
