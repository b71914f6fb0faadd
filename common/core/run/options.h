// The command line: the suite's own options, and Google Benchmark's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/benchmark_flags.h"

namespace bench {

struct Options {
  std::string api = "both";
  std::string device;
  bool list_devices = false;
  bool list_variants = false;
  bool describe = false;
  bool print_slug = false;
  bool print_board = false;
  std::vector<std::uint64_t> sizes;
  std::vector<std::string> variants;  // names, or beginnings of names ending in '*'
  std::vector<Cache> caches;
  std::string memory;               // "own" or "shared"; empty: both
  std::optional<double> timeout_s;  // of every wait for a GPU; see core/base/watchdog.h
  double throttled_part = 0.75;     // see LoadedClock
  double budget_s = 0;              // 0: half a second a case, or 0.04 s with --quick
  std::uint64_t seed = 1;           // of the orders: the sides' in a round of samples, the cases' with `shuffle`
  std::uint64_t input_seed = 1;
  bool shuffle = false;
  std::string cases;      // a CSV: the cases that it has rows of; empty: all
  std::string checksums;  // a file of VerifiedOutputs; empty: none
  std::string csv;
  bool resume = false;
  bool replace = false;  // the rows of `csv`
  bool quick = false;
  bool smoke = false;
  bool validate = false;
  bool profile = false;             // every kernel once, nothing timed
  std::string count;                // the file of hardware counters; empty: time the cases
  std::string dump_isa;             // the folder; empty: time the cases
  bool compile_only = false;        // with dump_isa: nothing runs
  std::uint32_t subgroup_size = 0;  // with dump_isa; 0: the usual
  BenchmarkFlags benchmark;

  double case_budget_s() const { return budget_s > 0 ? budget_s : smoke ? 0.02 : quick ? 0.04 : 0.5; }
};

// Parses argv; --api chooses among these. Throws UsageError, which names the option and what would be right; returns false
// (after printing) when only help was asked for.
bool parse_options(int argc, char** argv, const Experiment& experiment, std::span<const Api> apis, Options& options);

// "4096", "4Ki", "4Mi", "1Gi" or "2^22" as a number of elements. Throws UsageError for anything else, and for 0.
std::uint64_t parse_size(std::string_view text);

// Whether a wish of --variant means `name`: equal, or a beginning with '*'.
bool means_variant(std::string_view wish, std::string_view name);
// True if `name` is asked for: no wish at all, an equal name, or a beginning with '*'.
bool wants_variant(const Options& options, std::string_view name);

// The parameter of experiments whose cases say whose memory they use, as to_string(Memory) spells it: these offer --memory.
inline constexpr std::string_view kMemoryParam = "memory";
bool wants_memory(const Options& options, std::string_view memory);

}  // namespace bench
