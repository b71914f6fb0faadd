// Raw timestamps to nanoseconds: fractions, valid bits, wrap-around. No GPU needed.
#include <gtest/gtest.h>

#include "vulkan/measure/timestamp.h"

namespace bench::vulkan {
namespace {

constexpr std::uint64_t kValid36 = (std::uint64_t{1} << 36) - 1;

TEST(ElapsedNs, KeepsAFractionalPeriod) {
  EXPECT_DOUBLE_EQ(elapsed_ns(100, 1100, 64, 0.9), 900.0);
  EXPECT_DOUBLE_EQ(elapsed_ns(0, 19200, 64, 52.083), 19200 * 52.083);  // a 19.2 MHz counter
}

TEST(ElapsedNs, TakesVulkansFloatAsItIs) { EXPECT_NEAR(elapsed_ns(0, 1000, 64, static_cast<double>(52.083F)), 52083.0, 0.01); }

TEST(ElapsedNs, IsRightAcrossAWrapAround) {
  EXPECT_DOUBLE_EQ(elapsed_ns(kValid36 - 9, 40, 36, 1.0), 50.0);
  EXPECT_DOUBLE_EQ(elapsed_ns(~std::uint64_t{0} - 9, 40, 64, 1.0), 50.0);
  EXPECT_DOUBLE_EQ(elapsed_ns(~std::uint32_t{0}, 0, 32, 10.0), 10.0);
}

TEST(ElapsedNs, IgnoresInvalidBits) { EXPECT_DOUBLE_EQ(elapsed_ns(std::uint64_t{1} << 40 | 5, 25, 36, 1.0), 20.0); }

TEST(ElapsedNs, UsesAll64Bits) {
  EXPECT_DOUBLE_EQ(elapsed_ns(0, std::uint64_t{1} << 52, 64, 1.0), 4503599627370496.0);
  EXPECT_DOUBLE_EQ(elapsed_ns(7, 7, 64, 1.0), 0.0);
}

}  // namespace
}  // namespace bench::vulkan
