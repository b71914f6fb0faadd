// Spans of planted blocks.
#include "spans.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "core/experiment/verify.h"

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t kTicks = 100;

TEST(Spans, FromTheFirstBeginningToTheLastEnd) {
  const Span span = span_of(Words{1000, 1100, 900, 1010, 1200, 1300}, 1000, kTicks);
  EXPECT_EQ(span.begin, -100);
  EXPECT_EQ(span.end, 300);
  EXPECT_EQ(span.length(), 400);
}

TEST(Spans, TheClocksLowerHalfMayWrapAround) {
  const Span span = span_of(Words{0xffffff00U, 0x00000100U}, 0xffffff00U, kTicks);
  EXPECT_EQ(span.begin, 0);
  EXPECT_EQ(span.end, 0x200);
}

TEST(Spans, ABlockThatDidNotStayIsAnError) {
  EXPECT_THROW(span_of(Words{1000, 1099}, 1000, kTicks), bench::Error);
  EXPECT_THROW(span_of(Words{1000, 1100, bench::kPoison, bench::kPoison}, 1000, kTicks), bench::Error)
      << "nor one that never ran";
  EXPECT_THROW(span_of(Words{1100, 1000}, 1000, kTicks), bench::Error);
}

TEST(Spans, WhatRanAtOnce) {
  EXPECT_DOUBLE_EQ(overlap({0, 100}, {0, 100}), 1);
  EXPECT_DOUBLE_EQ(overlap({0, 100}, {75, 175}), 0.25);
  EXPECT_DOUBLE_EQ(overlap({0, 100}, {100, 200}), 0);
  EXPECT_DOUBLE_EQ(overlap({0, 100}, {300, 400}), 0);
  EXPECT_DOUBLE_EQ(overlap({0, 1000}, {400, 500}), 1) << "of the shorter one";
}

TEST(Spans, WhatWasLeft) {
  EXPECT_DOUBLE_EQ(left_after({0, 100}, {20, 25}), 0.75);
  EXPECT_DOUBLE_EQ(left_after({0, 100}, {100, 125}), 0) << "it came last";
}

}  // namespace
