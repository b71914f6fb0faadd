// Chains with planted faults.
#include "reference.h"

#include <gtest/gtest.h>

#include <set>

namespace {

constexpr Config kChain{"chain", "barrier", Ordering::kBarrier, {}, 201, 0, false};

TEST(OrderReference, EveryRowDiffersFromEveryOther) {
  const std::vector<Row> rows = expected_rows(kChain);
  EXPECT_EQ(rows.size(), 201U);
  EXPECT_EQ(std::set<Row>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_EQ(rows[0][1], EXP08_STEP(EXP08_START(1U)));
  EXPECT_EQ(rows[1][1], EXP08_STEP(rows[0][1]));
}

TEST(OrderReference, ALinkThatRanTooEarlyShowsInAllAfter) {
  const std::vector<Row> expected = expected_rows(kChain);
  std::vector<Row> found = expected;
  EXPECT_EQ(wrong_rows(found, expected), 0U);
  // Link 150 read what the row before held before its own link: poison.
  found[149].fill(0xffffffffU);
  for (std::size_t i = 150; i < found.size(); ++i) {
    for (std::uint32_t lane = 0; lane < EXP08_LANES; ++lane) found[i][lane] = EXP08_STEP(found[i - 1][lane]);
  }
  found[149] = expected[149];
  EXPECT_EQ(wrong_rows(found, expected), 51U);
}

TEST(OrderReference, ALinkThatOverwroteTooEarlyShowsInTheOneBefore) {
  Config overwritten = kChain;
  overwritten.overwrites = true;
  const std::vector<Row> before = rows_before(overwritten);
  const std::vector<Row> expected = expected_rows(overwritten);
  ASSERT_EQ(expected.size(), 202U);
  EXPECT_EQ(std::set<Row>(before.begin(), before.end()).size(), before.size());
  EXPECT_EQ(expected[0][3], EXP08_STEP(before[1][3]));
  EXPECT_EQ(expected[200][31], EXP08_STEP(before[201][31]));
  EXPECT_EQ(expected[201], before[201]) << "which no link writes";
  // Link 8 wrote row 8 before link 7 had read it.
  std::vector<Row> found = expected;
  for (std::uint32_t lane = 0; lane < EXP08_LANES; ++lane) found[7][lane] = EXP08_STEP(expected[8][lane]);
  EXPECT_EQ(wrong_rows(found, expected), 1U);
}

TEST(OrderReference, FillersAreRowsOfTheirOwn) {
  Config filled = kChain;
  filled.filler_turns = 3;
  const std::vector<Row> rows = expected_rows(filled);
  EXPECT_EQ(rows.size(), 402U);
  EXPECT_EQ(rows[201], rows[2]) << "three turns from the start";
  EXPECT_EQ(rows[401], rows[2]);
}

}  // namespace
