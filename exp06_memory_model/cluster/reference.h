// What every kernel must leave behind, and what is read off its records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../input_sums.h"
#include "core/experiment/workbench.h"
#include "params.h"
#include "variants.h"

// A chunk's words times their weights, modulo 2^32.
struct WeightedSum {
  std::uint32_t operator()(std::span<const std::uint32_t> words) const;
};
// Of a multicast's chunks.
using WeightedSums = InputSums<EXP06_CHUNK_BYTES / 4, WeightedSum>;

// Compares every word of `out`. Throws Error, also if a block left its last barrier before all had come to it.
void check(const bench::Workbench& bench, bench::Device& device, const Config& config, const bench::Buffer& out,
           std::uint32_t grid, WeightedSums& sums);

// A block's record each. Throws Error.
std::vector<std::vector<std::uint32_t>> records(bench::Device& device, const bench::Buffer& out, std::uint32_t grid);

// What pair_map found: by pairs of different blocks. Throws Error if a chase ended elsewhere than it must.
struct PairCycles {
  std::vector<double> all;
  std::vector<double> one_tpc;  // of two SMs whose numbers differ in the last bit alone
};
std::uint64_t pair_map_words(std::uint32_t grid, std::uint32_t cluster);
PairCycles pair_cycles(bench::Device& device, const bench::Buffer& out, std::uint32_t grid, std::uint32_t cluster);
