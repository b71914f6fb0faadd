#include "core/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace bench {
namespace {

constexpr std::uint64_t kCount = 1 << 18;

// Bits per byte of the values' histogram: 8 for bytes that no entropy coder can shrink.
double entropy_bits(const std::vector<std::uint8_t>& bytes) {
  std::array<double, 256> count{};
  for (const std::uint8_t byte : bytes) ++count[byte];
  double bits = 0;
  for (const double c : count) {
    const double p = c / static_cast<double>(bytes.size());
    if (p > 0) bits -= p * std::log2(p);
  }
  return bits;
}

TEST(Random, IsAFunctionOfSeedStreamAndIndex) {
  // Pinned, and usable in a constant expression: committed results name their seed, so the sequence may not change
  // unnoticed.
  static_assert(random_bits(1, 0, 0) == 0xf85cf6a4U);
  std::set<std::uint32_t> values;
  for (const std::uint64_t seed : {1UL, 2UL}) {
    for (const std::uint32_t stream : {0U, 1U, 2U}) {
      for (const std::uint64_t index : {0ULL, 1ULL, 1ULL << 31}) values.insert(random_bits(seed, stream, index));
    }
  }
  EXPECT_EQ(values.size(), 18U);
}

TEST(Random, StreamsAndSeedsDoNotOverlap) {
  std::uint64_t equal_streams = 0;
  std::uint64_t equal_seeds = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    equal_streams += random_bits(1, 0, i) == random_bits(1, 1, i) ? 1 : 0;
    equal_seeds += random_bits(1, 0, i) == random_bits(2, 0, i) ? 1 : 0;
  }
  EXPECT_LE(equal_streams, 2U);  // chance: 2^18 / 2^32
  EXPECT_LE(equal_seeds, 2U);
}

TEST(Random, FloatsHaveBothSignsAndAModestRange) {
  std::uint64_t negative = 0;
  float least = 2;
  float most = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const float value = random_float(1, 0, i);
    negative += value < 0 ? 1 : 0;
    least = std::min(least, std::abs(value));
    most = std::max(most, std::abs(value));
  }
  EXPECT_GE(least, 0.5F);
  EXPECT_LT(least, 0.501F);
  EXPECT_LT(most, 2.0F);
  EXPECT_GT(most, 1.999F);
  EXPECT_NEAR(static_cast<double>(negative) / kCount, 0.5, 0.01);
}

// 25 of a float's 32 bits are random: the mantissa's bytes are incompressible, the top byte carries the sign alone.
TEST(Random, FloatsDoNotCompress) {
  std::array<std::vector<std::uint8_t>, 4> bytes;
  std::vector<std::uint8_t> differences;  // of neighbours: what a predictor would code
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const auto word = std::bit_cast<std::uint32_t>(random_float(1, 0, i));
    for (std::size_t place = 0; place < 4; ++place) bytes[place].push_back(static_cast<std::uint8_t>(word >> (8 * place)));
    differences.push_back(static_cast<std::uint8_t>(word - std::bit_cast<std::uint32_t>(random_float(1, 0, i + 1))));
  }
  for (const std::size_t place : {0UL, 1UL, 2UL}) EXPECT_GT(entropy_bits(bytes[place]), 7.99) << "byte " << place;
  EXPECT_GT(entropy_bits(differences), 7.99);
  EXPECT_GT(entropy_bits(bytes[3]), 0.99);
}

}  // namespace
}  // namespace bench
