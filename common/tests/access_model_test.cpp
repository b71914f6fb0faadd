#include "core/experiment/access_model.h"

#include <gtest/gtest.h>

#include <string>

namespace bench {
namespace {

struct Pattern {
  std::string name;
  std::uint32_t bytes;  // per lane
  std::function<std::uint64_t(std::uint32_t)> address;
  std::uint32_t sectors;
};

// The first four figures are what Nsight Compute counts for such loads on an H200.
TEST(AccessModel, CountsRequestsAndSectors) {
  const Pattern patterns[] = {
      {"float, aligned", 4, [](std::uint64_t lane) { return lane * 4; }, 4},
      {"float, offset 1", 4, [](std::uint64_t lane) { return (lane + 1) * 4; }, 5},
      {"float, offset 8 = a whole sector", 4, [](std::uint64_t lane) { return (lane + 8) * 4; }, 4},
      {"float, stride 16 B", 4, [](std::uint64_t lane) { return lane * 16; }, 16},
      {"one field of an 8-byte struct", 4, [](std::uint64_t lane) { return lane * 8; }, 8},
      {"all lanes one address", 4, [](std::uint64_t) { return std::uint64_t{64}; }, 1},
      {"float, reversed lanes", 4, [](std::uint64_t lane) { return (31 - lane) * 4; }, 4},
      {"float, permuted lanes", 4, [](std::uint64_t lane) { return (lane * 5 % 32) * 4; }, 4},
      {"float4, contiguous", 16, [](std::uint64_t lane) { return lane * 16; }, 16},
      {"a lane that straddles two sectors", 16, [](std::uint64_t lane) { return 24 + lane * 32; }, 33},
      {"one sector per lane", 4, [](std::uint64_t lane) { return lane * 4096; }, 32},
  };
  for (const Pattern& pattern : patterns) {
    SCOPED_TRACE(pattern.name);
    const WarpAccess access = warp_access(pattern.bytes, pattern.address);
    EXPECT_EQ(access.requests, 1U);
    EXPECT_EQ(access.sectors, pattern.sectors);
  }
}

// Both fields of an 8-byte struct, one load each: twice 8 sectors, of which each load uses half.
TEST(AccessModel, AddsInstructions) {
  const WarpAccess x = warp_access(4, [](std::uint64_t lane) { return lane * 8; });
  const WarpAccess y = warp_access(4, [](std::uint64_t lane) { return lane * 8 + 4; });
  const WarpAccess both = x + y;
  EXPECT_EQ(both.requests, 2U);
  EXPECT_EQ(both.sectors, 16U);
}

TEST(AccessModel, CountsEachSectorThatMemoryMustMoveOnce) {
  const auto apart = [](std::uint64_t stride, std::uint64_t first = 0) {
    return [=](std::uint64_t element) { return first + stride * element; };
  };
  EXPECT_EQ(distinct_sector_bytes(32, 4, apart(4)), 128U);
  EXPECT_EQ(distinct_sector_bytes(32, 4, apart(16)), 512U) << "a quarter is asked for, all of it moves";
  EXPECT_EQ(distinct_sector_bytes(32, 4, apart(64)), 32U * 32) << "every other sector stays where it is";
  EXPECT_EQ(distinct_sector_bytes(32, 32, apart(64)), 32U * 32);
  EXPECT_EQ(distinct_sector_bytes(32, 36, apart(64)), 32U * 64);
  EXPECT_EQ(distinct_sector_bytes(32, 4, apart(0, 200)), 32U);
  EXPECT_EQ(distinct_sector_bytes(32, 4, apart(4, 4)), 160U) << "alone; a neighbour shares the fifth sector";
  EXPECT_EQ(distinct_sector_bytes(0, 4, apart(4)), 0U);
}

}  // namespace
}  // namespace bench
