#include "reference.h"

#include <array>
#include <bit>
#include <span>

#include "core/parallel.h"
#include "core/verify.h"
#include "params.h"

namespace {

constexpr std::uint32_t kTileWords = EXP06_TILE_BYTES / sizeof(std::uint32_t);

BENCH_AVX2_CLONE void chain(std::span<std::uint32_t, kTileWords> words, std::uint32_t steps) {
  for (std::uint32_t step = 0; step < steps; step += EXP06_STEPS_A_TURN) {
    for (std::uint32_t& word : words) {
      for (std::uint32_t i = 0; i < EXP06_STEPS_A_TURN; ++i) word = EXP06_CHAINED(word);
    }
  }
}

}  // namespace

void ChainSums::make(const bench::Workbench& bench, std::uint32_t tiles) {
  if (seed_ == bench.seed() && tiles_ >= tiles) return;
  seed_ = bench.seed();
  tiles_ = tiles;
  for (const std::uint32_t steps : chain_steps()) sums_[steps].assign(tiles, 0);
  bench::parallel_for(tiles, 4, [&](std::uint64_t begin, std::uint64_t end) {
    std::array<std::uint32_t, kTileWords> words{};
    for (std::uint64_t tile = begin; tile < end; ++tile) {
      for (std::uint32_t i = 0; i < kTileWords; ++i)
        words[i] = std::bit_cast<std::uint32_t>(bench.input_value(0, tile * kTileWords + i));
      std::uint32_t done = 0;
      for (auto& [steps, sums] : sums_) {
        chain(words, steps - done);
        done = steps;
        for (const std::uint32_t word : words) sums[tile] += word;
      }
    }
  });
}

std::vector<std::uint32_t> ChainSums::block_sums(const bench::Workbench& bench, std::uint32_t tiles, std::uint32_t grid,
                                                 std::uint32_t steps, bool first_only) {
  make(bench, tiles);
  const std::vector<std::uint32_t>& sums = sums_.at(steps);
  std::vector<std::uint32_t> blocks(grid);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) blocks[tile % grid] += sums[first_only ? tile % grid : tile];
  return blocks;
}
