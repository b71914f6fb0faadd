#include "reference.h"

#include <algorithm>

#include "core/experiment/verify.h"

namespace {

BENCH_AVX2_CLONE void chain(std::span<std::uint32_t, ChainSums::kWords> words, std::uint32_t steps) {
  for (std::uint32_t step = 0; step < steps; step += EXP06_STEPS_A_TURN) {
    for (std::uint32_t& word : words) {
      for (std::uint32_t i = 0; i < EXP06_STEPS_A_TURN; ++i) word = EXP06_CHAINED(word);
    }
  }
}

}  // namespace

std::array<std::uint32_t, kChainSteps.size()> ChainSum::operator()(std::span<std::uint32_t, EXP06_TILE_BYTES / 4> words) const {
  std::array<std::uint32_t, kChainSteps.size()> sums{};
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < kChainSteps.size(); ++i) {
    chain(words, kChainSteps[i] - done);
    done = kChainSteps[i];
    sums[i] = PlainSum{}(words);
  }
  return sums;
}

std::vector<std::uint32_t> overlap_sums(const bench::Workbench& bench, std::uint32_t tiles, std::uint32_t grid,
                                        std::uint32_t steps, bool first_only, ChainSums& sums) {
  const auto& by_tile = sums.of(bench, tiles);
  const auto length = static_cast<std::size_t>(std::ranges::find(kChainSteps, steps) - kChainSteps.begin());
  std::vector<std::uint32_t> blocks(grid);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) blocks[tile % grid] += by_tile[first_only ? tile % grid : tile].at(length);
  return blocks;
}
