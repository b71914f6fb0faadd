// The experiment, as a table.
#pragma once

#include <cstdint>
#include <vector>

inline constexpr std::uint32_t kBlock = 256;
inline constexpr std::uint32_t kSourceGrid = 256;   // the post's blocks: too few for a large GPU
inline constexpr std::uint32_t kFullGrid = 4096;    // 1 Mi threads: several times what the largest GPU holds at once
inline constexpr std::uint32_t kSourceLog2 = 24;    // the post's 16 Mi floats
inline constexpr std::uint32_t kResidentLog2 = 20;  // 4 MiB of 4-byte elements: in any large GPU's L2

enum class Index : std::uint8_t { kPlain, kFolded, kOnce };
enum class Output : std::uint8_t { kFloatSum, kWordSum, kEveryWord };

struct Variant {
  const char* name;
  const char* stem;
  std::uint32_t elem_bytes;
  Index index;
  Output output;
  std::vector<std::uint32_t> grids;
  std::vector<std::uint32_t> strides;
  std::vector<std::uint32_t> sizes_log2;  // elements; 0: the largest that fits
  std::uint32_t l2_fetch_bytes = 0;       // of CUDA's device alone; 0: its own
};

// Powers of two, and odd neighbours that share no factor with the size.
inline const std::vector<std::uint32_t> kSweep = {1,  2,  3,  4,  5,  7,   8,   9,   15,  16,   17,   31,
                                                  32, 33, 63, 64, 65, 127, 128, 129, 256, 1024, 4096, 65536};
inline const std::vector<std::uint32_t> kShortSweep = {1, 2, 3, 4, 8, 16, 32, 33, 64, 128};

inline const Variant kVariants[] = {
    {"source_coalesced", "source_coalesced", 4, Index::kPlain, Output::kFloatSum, {kSourceGrid, kFullGrid}, {1}, {kSourceLog2}},
    {"source_strided", "source_strided", 4, Index::kFolded, Output::kFloatSum, {kSourceGrid, kFullGrid}, {32}, {kSourceLog2}},
    {"read_folded", "read_folded", 4, Index::kFolded, Output::kWordSum, {kSourceGrid}, {1, 32}, {kSourceLog2}},
    {"read_folded", "read_folded", 4, Index::kFolded, Output::kWordSum, {kFullGrid}, kShortSweep, {kSourceLog2, 0}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kSourceGrid}, {1, 32}, {kSourceLog2}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {kResidentLog2, kSourceLog2}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, kSweep, {0}},
    {"read_once_fetch", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, {1, 8, 16, 32, 64}, {0}, 32},
    {"read_once_fetch", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, {1, 8, 16, 32, 64}, {0}, 64},
    {"read_once_fetch", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, {1, 8, 16, 32, 64}, {0}, 128},
    {"read_once", "read_once_8", 8, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {0}},
    {"read_once", "read_once_16", 16, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {0}},
    {"write_once", "write_once_4", 4, Index::kOnce, Output::kEveryWord, {kFullGrid}, kSweep, {0}},
    {"write_once", "write_once_8", 8, Index::kOnce, Output::kEveryWord, {kFullGrid}, kShortSweep, {0}},
    {"write_once", "write_once_16", 16, Index::kOnce, Output::kEveryWord, {kFullGrid}, kShortSweep, {0}},
};
