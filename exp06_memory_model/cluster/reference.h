// What every kernel must leave behind, and what is read off its records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/workbench.h"
#include "variants.h"

// Of what bench.input(0) holds: each chunk's words times their weights, made once.
class ChunkSums {
 public:
  // By block of a launch of so many blocks: the sums of all chunks that its cluster reads. Modulo 2^32.
  std::vector<std::uint32_t> block_sums(const bench::Workbench& bench, const Cell& cell, std::uint32_t grid);

 private:
  std::uint64_t seed_ = 0;
  std::vector<std::uint32_t> sums_;
};

// Compares every word of `out`. Throws Error, also if a block left its last barrier before all had come to it.
void check(bench::Workbench& bench, const Cell& cell, const bench::Buffer& out, std::uint32_t grid, ChunkSums& sums);

// A block's record each. Throws Error.
std::vector<std::vector<std::uint32_t>> records(bench::Device& device, const bench::Buffer& out, std::uint32_t grid);

// What pair_map found: by pairs of different blocks. Throws Error if a chase ended elsewhere than it must.
struct PairCycles {
  std::vector<double> all;
  std::vector<double> one_tpc;  // of two SMs whose numbers differ in the last bit alone
};
std::uint64_t pair_map_words(std::uint32_t grid, std::uint32_t cluster);
PairCycles pair_cycles(bench::Device& device, const bench::Buffer& out, std::uint32_t grid, std::uint32_t cluster);
