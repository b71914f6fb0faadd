#include "core/run/end_check.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace bench {
namespace {

struct Looked {
  std::uint32_t looks;
  double took_s;
};

// Every look takes `look_s` by a clock that nothing else moves.
Looked looked(double sampling_s, double look_s) {
  double clock_s = 1000;
  const std::uint32_t looks = look_again(
      sampling_s, [&] { clock_s += look_s; }, [&] { return clock_s; });
  return {looks, clock_s - 1000};
}

TEST(EndCheck, StaysWithinThreePercentOfTheSamplingWhereALookDoes) {
  for (const double sampling_s : {0.01, 0.4, 1.0, 30.0}) {
    for (double part = 1e-4; part < 0.03; part *= 1.1) {
      const Looked found = looked(sampling_s, part * sampling_s);
      EXPECT_LT(found.took_s, 0.03 * sampling_s) << part;
      EXPECT_GE(found.looks, 1U);
    }
  }
}

TEST(EndCheck, LooksAsOftenAsTwoPercentAfford) {
  EXPECT_EQ(looked(1, 0.00099).looks, 20U);
  EXPECT_EQ(looked(1, 0.0099).looks, 2U);
  EXPECT_EQ(looked(1, 0.011).looks, 1U) << "two would take 2.2 %";
}

TEST(EndCheck, NoSideIsSparedOneLookHoweverLong) {
  const Looked found = looked(1, 5);
  EXPECT_EQ(found.looks, 1U);
  EXPECT_DOUBLE_EQ(found.took_s, 5);
  EXPECT_EQ(looked(0, 0.001).looks, 1U) << "nothing was sampled";
}

// The slowest look so far is what the next may take: looks that grow longer stop in time.
TEST(EndCheck, LooksThatGrowLongerStopInTime) {
  double clock_s = 0;
  double look_s = 0.001;
  look_again(
      1, [&] { clock_s += look_s *= 1.2; }, [&] { return clock_s; });
  EXPECT_LT(clock_s, 0.03);
}

TEST(EndCheck, AFaultEndsIt) {
  double clock_s = 0;
  int looks = 0;
  const auto look = [&] {
    clock_s += 0.001;
    if (++looks == 3) throw Error("wrong output");
  };
  EXPECT_THROW(look_again(1, look, [&] { return clock_s; }), Error);
  EXPECT_EQ(looks, 3);
}

}  // namespace
}  // namespace bench
