// Chains with planted faults.
#include "reference.h"

#include <gtest/gtest.h>

#include <set>

namespace {

constexpr Config kChain{"chain", "barrier", Ordering::kBarrier, false, 201, 0, false};

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

TEST(OrderReference, FillersAreRowsOfTheirOwn) {
  Config filled = kChain;
  filled.filler_turns = 3;
  const std::vector<Row> rows = expected_rows(filled);
  EXPECT_EQ(rows.size(), 402U);
  EXPECT_EQ(rows[201], rows[2]) << "three turns from the start";
  EXPECT_EQ(rows[401], rows[2]);
}

}  // namespace
