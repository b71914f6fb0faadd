// The CPU's sums of the chains, made once for all chains' lengths.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/workbench.h"
#include "variants.h"

class ChainSums {
 public:
  // What each of `grid` blocks stores that takes tiles b, b + grid, b + 2 * grid ... of input 0's `tiles`, or, if
  // `first_only`, its first tile as often.
  std::vector<std::uint32_t> block_sums(const bench::Workbench& bench, std::uint32_t tiles, std::uint32_t grid,
                                        std::uint32_t steps, bool first_only);

 private:
  void make(const bench::Workbench& bench, std::uint32_t tiles);

  std::uint64_t seed_ = 0;
  std::uint32_t tiles_ = 0;
  std::map<std::uint32_t, std::vector<std::uint32_t>> sums_;  // by steps: each tile's
};
