#include "block_sums.h"

std::vector<std::uint32_t> block_sums(const bench::Workbench& bench, std::uint64_t bytes, std::uint32_t tile_bytes,
                                      std::uint32_t grid, ChunkSums& sums) {
  constexpr std::uint64_t kChunkBytes = ChunkSums::kWords * sizeof(std::uint32_t);
  const std::vector<std::uint32_t>& by_chunk = sums.of(bench, bytes / kChunkBytes);
  const std::uint64_t chunks = tile_bytes / kChunkBytes;
  std::vector<std::uint32_t> blocks(grid);
  for (std::uint64_t tile = 0; tile < bytes / tile_bytes; ++tile) {
    for (std::uint64_t chunk = tile * chunks; chunk < (tile + 1) * chunks; ++chunk) blocks[tile % grid] += by_chunk[chunk];
  }
  return blocks;
}
