// The experiment's table: what is computed, and in which way.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

enum class Algorithm : std::uint8_t {
  kPasses,     // several launches, each over what the one before has left
  kLastBlock,  // one launch; the block that is ready last does the rest
  kLookBack,   // one launch; blocks look back at what others have published
  kCub,        // as CUB launches it
};

struct Variant {
  std::string_view name;
  bool scan;
  Algorithm algorithm;
  std::string_view block;  // of a block's sums: tree or subgroup
  std::string_view text;
};

inline constexpr Variant kVariants[] = {
    {"sum_tree", false, Algorithm::kPasses, "tree", "block sums through a tree in shared memory, then one block"},
    {"sum_subgroup", false, Algorithm::kPasses, "subgroup", "block sums by subgroup operations, then one block"},
    {"sum_last_block", false, Algorithm::kLastBlock, "subgroup",
     "one launch: the block that is ready last adds up the others' sums"},
    {"cub_sum", false, Algorithm::kCub, "", "the kernels of CUB's DeviceReduce, launched by this suite as CUB does it"},
    {"scan_tree", true, Algorithm::kPasses, "tree",
     "tiles' sums, their scan, the tiles' scans; through a tree in shared memory"},
    {"scan_subgroup", true, Algorithm::kPasses, "subgroup", "the same by subgroup operations"},
    {"scan_look_back", true, Algorithm::kLookBack, "subgroup",
     "one launch: decoupled look-back; a flag with release and acquire beside the sums"},
    {"scan_look_back_packed", true, Algorithm::kLookBack, "subgroup", "the same; flag and sum in one 64-bit word, relaxed"},
    {"cub_scan", true, Algorithm::kCub, "", "the kernels of CUB's DeviceScan, launched by this suite as CUB does it"},
};

// One row of the CSV, or two twins.
struct Config {
  const Variant* variant = nullptr;
  std::uint64_t words = 0;  // a power of two

  std::uint32_t vectors() const { return static_cast<std::uint32_t>(words / 4); }
  std::uint32_t tiles() const;
  std::uint32_t sum_blocks() const;           // of a sum over all words: a power of two, 4 at least or 1
  std::uint64_t useful_bytes() const;         // that any way must move
  std::uint64_t read_bytes(bool dram) const;  // that this way reads; from memory, or distinct ones
  std::uint64_t write_bytes() const;
};

std::vector<Config> all_configs(const bench::Plan& plan);
