// Traces of planted dispatches.
#include "trace.h"

#include <gtest/gtest.h>

#include <vector>

#include "params.h"

namespace {

using Words = std::vector<std::uint32_t>;

TEST(Trace, WhatOverlapsRunsAtOnce) {
  const Trace trace = trace_of(Words{100, 200, 0, 150, 250, 1, 190, 290, 0, 250, 350, 2}, 1);
  EXPECT_EQ(trace.at_once, 3U) << "the last begins as the second ends";
  EXPECT_DOUBLE_EQ(trace.span, 250);
  EXPECT_EQ(trace.sms, 3U);
}

TEST(Trace, OneAfterTheOtherIsOneAtATime) { EXPECT_EQ(trace_of(Words{100, 200, 0, 200, 300, 0, 300, 400, 0}, 1).at_once, 1U); }

TEST(Trace, ADispatchIsAllOfItsBlocks) {
  // Two of two blocks each: the second's first block begins before the first's last one ends.
  const Trace trace = trace_of(Words{100, 200, 0, 300, 400, 1, 350, 360, 0, 500, 600, 1}, 2);
  EXPECT_EQ(trace.at_once, 2U);
  EXPECT_DOUBLE_EQ(trace.span, 500);
}

TEST(Trace, TheClockMayWrapAroundAndALaterDispatchBeFirst) {
  const Trace trace = trace_of(Words{16, 48, EXP08_NO_SM, 0xfffffff0U, 16, EXP08_NO_SM}, 1);
  EXPECT_EQ(trace.at_once, 1U);
  EXPECT_DOUBLE_EQ(trace.span, 64);
  EXPECT_EQ(trace.sms, 0U) << "not known";
}

}  // namespace
