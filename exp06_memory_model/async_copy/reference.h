// What the kernels that compute on what they copy must leave behind.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "../input_sums.h"
#include "core/experiment/workbench.h"
#include "params.h"
#include "variants.h"

// A tile's sums after each of kChainSteps: all in the time of the longest chain.
struct ChainSum {
  std::array<std::uint32_t, kChainSteps.size()> operator()(std::span<std::uint32_t, EXP06_TILE_BYTES / 4> words) const;
};
using ChainSums = InputSums<EXP06_TILE_BYTES / 4, ChainSum>;

// What each of `grid` blocks stores that takes tiles b, b + grid, b + 2 * grid ... of input 0's `tiles`, or, if `first_only`,
// its first tile as often. `steps`: one of kChainSteps.
std::vector<std::uint32_t> overlap_sums(const bench::Workbench& bench, std::uint32_t tiles, std::uint32_t grid,
                                        std::uint32_t steps, bool first_only, ChainSums& sums);
