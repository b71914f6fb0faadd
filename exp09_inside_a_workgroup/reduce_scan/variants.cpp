#include "variants.h"

#include <algorithm>
#include <bit>

// Enough blocks for a full GPU, few enough for one block to sum up what they leave. H200: 1056 are there at once.
constexpr std::uint32_t kMostSumBlocks = 2048;

std::uint32_t Config::tiles() const { return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, words / EXP09_TILE_WORDS)); }

std::uint32_t Config::sum_blocks() const {
  const std::uint32_t blocks = std::min(tiles(), kMostSumBlocks);
  return blocks < 4 ? 1 : blocks;
}

std::uint64_t Config::useful_bytes() const { return words * 4 * (variant->scan ? 2 : 1); }

std::uint64_t Config::read_bytes(bool dram) const {
  const bool twice = dram && variant->scan && variant->algorithm == Algorithm::kPasses;
  return words * 4 * (twice ? 2 : 1);
}

std::uint64_t Config::write_bytes() const { return variant->scan ? words * 4 : 4; }

std::vector<Config> all_configs(const bench::Plan& plan) {
  // A block; a few; what the L2 holds; memory. 2^28 words * 4 B = 1 GiB, and as much for a scan's output.
  std::vector<std::uint32_t> log2 = {10, 16, 22};
  if (plan.cpu || plan.smoke) {
    log2 = {10, 16};
  } else {
    log2.push_back(static_cast<std::uint32_t>(std::bit_width(plan.largest(28, 4))) - 1);
  }
  std::vector<Config> configs;
  for (const Variant& variant : kVariants) {
    for (const std::uint32_t size : log2) configs.push_back({&variant, std::uint64_t{1} << size});
  }
  return configs;
}
