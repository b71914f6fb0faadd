// What one warp-wide memory instruction should cost, from the lanes' addresses alone: requests and 32-byte sectors.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/results/schema.h"

namespace bench {

// NVIDIA's L1 serves a global access in 32-byte sectors of 128-byte lines, since Maxwell. Source: CUDA C++ Best Practices
// Guide, "Coalesced Access to Global Memory".
inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr std::uint32_t kWarpLanes = 32;

struct WarpAccess {
  std::uint32_t requests = 0;  // memory instructions of the warp
  std::uint32_t sectors = 0;   // summed over the instructions
};

// One instruction of a full warp: lane l accesses [address(l), address(l) + bytes).
WarpAccess warp_access(std::uint32_t bytes, const std::function<std::uint64_t(std::uint32_t lane)>& address);

// Bytes of the distinct sectors that `count` elements lie in, element i in [address(i), address(i) + bytes): what memory must
// move at the least if each sector moves once.
std::uint64_t distinct_sector_bytes(std::uint32_t count, std::uint32_t bytes,
                                    const std::function<std::uint64_t(std::uint32_t element)>& address);

// Several instructions by the same warp.
WarpAccess operator+(const WarpAccess& a, const WarpAccess& b);

// The access model's columns of a result file, and a case's values: how many elements a warp handles (in one turn, where it
// loops), the requests and sectors that it needs for them, and the bytes that memory must move for one launch.
std::vector<Column> model_columns();
Values model_values(const WarpAccess& loads, const WarpAccess& stores, std::uint64_t min_read_bytes,
                    std::uint64_t min_write_bytes, std::uint32_t warp_elements = kWarpLanes);

}  // namespace bench
