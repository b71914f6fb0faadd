// The other blocks' side of a case: what they load, what they report, and the CPU's word on both.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../input_sums.h"
#include "core/experiment/workbench.h"
#include "params.h"

inline constexpr std::uint32_t kBlock = 512;
inline constexpr std::size_t kRuns = 9;  // of which the measured columns are the median

// One point of the curve.
struct Point {
  std::string_view level;         // "dram", "l2": where the chase and the load find their data
  std::uint64_t table_bytes = 0;  // of the chase
  std::uint64_t data_bytes = 0;   // of the load
  std::uint32_t unroll = 0;       // 16-byte loads a thread and turn
  std::uint32_t streamers = 0;    // blocks that load
  std::uint32_t wait = 0;         // slices of arithmetic between two turns
  std::uint32_t steps = 0;        // of the chase
  bool cold = false;              // each launch begins without the table in the L2
  bool must_last = false;         // the load has to outlast the chase

  std::uint32_t lines() const { return static_cast<std::uint32_t>(table_bytes / EXP06_LINE_BYTES); }
  std::uint64_t threads() const { return std::uint64_t{streamers} * kBlock; }
  std::uint64_t result_words() const { return EXP06_RESULT_HEAD + 2 * threads(); }
  LoadedParams params() const;
};

// What a run reported. Throws Error if the load ended before the chase.
struct Load {
  std::uint64_t bytes = 0;
  std::uint32_t chase_ns = 0;  // 0: not told
};
Load reported(const Point& point, std::span<const std::uint32_t> results);

// Of the input's vectors: 16 bytes, what a thread loads at a time.
using VectorSums = InputSums<4>;

// What the results must be, given the turns that they report; a run decides those.
std::vector<std::uint32_t> expected_results(const bench::Workbench& bench, const Point& point,
                                            std::span<const std::uint32_t> results, VectorSums& sums);
