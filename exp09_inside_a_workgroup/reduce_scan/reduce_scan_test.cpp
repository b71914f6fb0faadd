// The reference against a plain loop, and planted faults against the reference.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "core/experiment/verify.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

class ReduceScan : public testing::Test {
 protected:
  static constexpr std::uint64_t kWords = 3 * EXP09_TILE_WORDS;

  ReduceScan() {
    std::mt19937 random(1);
    for (std::uint32_t& word : words_) word = static_cast<std::uint32_t>(random());
    std::exclusive_scan(words_.begin(), words_.end(), scanned_.begin(), 0U);
  }

  Prefixes prefixes() const {
    return {[this](std::uint64_t i) { return words_[i]; }, kWords};
  }

  // What verify() says of such an output.
  std::uint64_t wrong(const std::vector<std::uint32_t>& found) const {
    const Prefixes expected = prefixes();
    return bench::compare<std::uint32_t>(
               found, 0, [&](std::uint64_t i) { return expected.before(i); }, 0)
        .count();
  }

  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(kWords);
  std::vector<std::uint32_t> scanned_ = std::vector<std::uint32_t>(kWords);
};

TEST_F(ReduceScan, TheReferenceIsAPlainLoops) {
  EXPECT_EQ(wrong(scanned_), 0U);
  EXPECT_EQ(prefixes().total(), std::accumulate(words_.begin(), words_.end(), 0U));
}

TEST_F(ReduceScan, TheReferenceAnswersInAnyOrder) {
  const Prefixes expected = prefixes();
  for (const std::uint64_t i : {kWords - 1, std::uint64_t{0}, std::uint64_t{1023}, std::uint64_t{1024}, std::uint64_t{5000}}) {
    EXPECT_EQ(expected.before(i), scanned_[i]) << i;
  }
  const Prefixes other([](std::uint64_t) { return 1U; }, 10);
  EXPECT_EQ(expected.before(7), scanned_[7]);
  EXPECT_EQ(other.before(8), 8U);  // not what the first one was asked for last
}

TEST_F(ReduceScan, AnInclusiveScanIsWrong) {
  std::vector<std::uint32_t> found = scanned_;
  for (std::uint64_t i = 0; i < kWords; ++i) found[i] += words_[i];
  EXPECT_EQ(wrong(found), kWords);
}

TEST_F(ReduceScan, ATileThatMissedItsPredecessorIsWrong) {
  std::vector<std::uint32_t> found = scanned_;
  const std::uint32_t missed = scanned_[EXP09_TILE_WORDS];
  for (std::uint64_t i = EXP09_TILE_WORDS; i < 2 * EXP09_TILE_WORDS; ++i) found[i] -= missed;
  EXPECT_EQ(wrong(found), EXP09_TILE_WORDS);
}

TEST_F(ReduceScan, OneWrongWordIsFound) {
  std::vector<std::uint32_t> found = scanned_;
  found.back() ^= 1;
  EXPECT_EQ(wrong(found), 1U);
}

// A launch's flags are no other launch's, not even of its neighbours, and the ticket may overflow.
TEST(LookBack, FlagsTellLaunchesApart) {
  constexpr std::uint32_t kLog2Tiles = 4;
  EXPECT_EQ(EXP09_FLAG(15U, kLog2Tiles), EXP09_FLAG(0U, kLog2Tiles));
  EXPECT_NE(EXP09_FLAG(16U, kLog2Tiles), EXP09_FLAG(15U, kLog2Tiles));
  EXPECT_NE(EXP09_FLAG(0U, kLog2Tiles), 0U) << "what a fresh state holds";
  EXPECT_NE(EXP09_FLAG(0xffffffffU, kLog2Tiles), EXP09_FLAG(0U, kLog2Tiles));
  for (const std::uint32_t launch : {5U, 6U}) EXPECT_EQ(EXP09_FLAG(launch, 0U) % 4, 0U);
}

TEST(Configs, OneBlockOrFourAndMore) {
  const auto blocks = [](std::uint32_t log2) { return Config{&kVariants[0], std::uint64_t{1} << log2}.sum_blocks(); };
  EXPECT_EQ(blocks(10), 1U);
  EXPECT_EQ(blocks(13), 1U);  // two tiles: vectors of four sums would read past them
  EXPECT_EQ(blocks(14), 4U);
  EXPECT_EQ(blocks(28), 2048U);
}

}  // namespace
