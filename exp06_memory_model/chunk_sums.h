// The CPU's sums of the input, made once and added up to any tile's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/workbench.h"

class ChunkSums {
 public:
  // What every shape's tile is a multiple of.
  static constexpr std::uint32_t kChunkBytes = 512;

  // The sum of tiles b, b + grid, b + 2 * grid ... of `bytes` of input 0, for each block b < grid.
  std::vector<std::uint32_t> block_sums(const bench::Workbench& bench, std::uint64_t bytes, std::uint32_t tile_bytes,
                                        std::uint32_t grid);

 private:
  std::uint64_t seed_ = 0;
  std::vector<std::uint32_t> sums_;
};
