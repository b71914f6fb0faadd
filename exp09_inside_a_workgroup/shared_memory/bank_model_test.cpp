#include "bank_model.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.h"

namespace bench {
namespace {

std::uint32_t of_stride(std::uint32_t bytes, std::uint64_t stride) {
  return warp_wavefronts(bytes, [=](std::uint32_t lane) { return lane * stride * bytes; });
}

// The textbook's: as many words in a bank as the stride and the banks have factors in common.
TEST(BankModel, OfWordsIsTheGreatestCommonDivisor) {
  for (std::uint32_t stride = 1; stride <= 33; ++stride) EXPECT_EQ(of_stride(4, stride), std::gcd(stride, 32U)) << stride;
}

TEST(BankModel, WideAccessesGoInGroups) {
  EXPECT_EQ(of_stride(8, 1), 2U);
  EXPECT_EQ(of_stride(8, 3), 2U);
  EXPECT_EQ(of_stride(8, 2), 4U);
  EXPECT_EQ(of_stride(8, 16), 32U);
  EXPECT_EQ(of_stride(16, 1), 4U);
  EXPECT_EQ(of_stride(16, 5), 4U);
  EXPECT_EQ(of_stride(16, 2), 8U);
  EXPECT_EQ(of_stride(16, 8), 32U);
}

TEST(BankModel, OneWordServesAllLanes) {
  EXPECT_EQ(warp_wavefronts(4, [](std::uint32_t) { return std::uint64_t{64}; }), 1U);
  EXPECT_EQ(warp_wavefronts(16, [](std::uint32_t) { return std::uint64_t{64}; }), 4U);
  // Two words of one bank.
  EXPECT_EQ(warp_wavefronts(4, [](std::uint32_t lane) { return std::uint64_t{lane % 2} * 128; }), 2U);
}

// A word behind every 32 takes the conflicts out of a column, and puts some into strides that had none.
TEST(BankModel, PaddingMovesConflicts) {
  const auto padded = [](std::uint64_t stride) {
    return warp_wavefronts(4, [=](std::uint32_t lane) {
      const std::uint64_t word = lane * stride;
      return (word + word / 32) * 4;
    });
  };
  EXPECT_EQ(padded(32), 1U);
  EXPECT_EQ(padded(1), 1U);
  EXPECT_EQ(padded(16), 1U);
  EXPECT_EQ(padded(33), 2U);
}

TEST(BankModel, RefusesWhatNoInstructionDoes) {
  EXPECT_THROW(of_stride(12, 1), Error);
  EXPECT_THROW(warp_wavefronts(8, [](std::uint32_t lane) { return std::uint64_t{lane} * 4; }), Error);
}

}  // namespace
}  // namespace bench
