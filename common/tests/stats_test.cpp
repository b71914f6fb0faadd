#include "core/base/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/base/error.h"

namespace bench {
namespace {

// 1, 2, ..., n in an order that is not sorted.
std::vector<double> shuffled(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  std::shuffle(values.begin(), values.end(), std::mt19937(7));
  return values;
}

Summary summary_of(double median, double lo, double hi) {
  Summary summary;
  summary.median = median;
  summary.ci95 = Interval{lo, hi};
  return summary;
}

TEST(Stats, Median) {
  EXPECT_EQ(median(std::vector{5.0, 1.0, 3.0}), 3);
  EXPECT_EQ(median(std::vector{4.0, 1.0, 3.0, 2.0}), 2.5) << "the mean of the two middle values";
  EXPECT_EQ(median(std::vector{2.0, 2.0, 2.0, 9.0}), 2);
  EXPECT_EQ(median(std::vector{7.0}), 7);
  EXPECT_THROW(median(std::vector<double>{}), Error);
}

TEST(Stats, QuantileInterpolatesLinearly) {
  const std::vector<double> values = {50, 10, 40, 20, 30};
  EXPECT_EQ(quantile(values, 0), 10);
  EXPECT_EQ(quantile(values, 1), 50);
  EXPECT_EQ(quantile(values, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile(values, 0.05), 12);  // position 0.2 of [10, 20]
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 48);
}

TEST(Stats, MedianCiIsAPairOfOrderStatistics) {
  struct Known {
    std::size_t n;
    double lo, hi;  // of 1, 2, ..., n: the ranks themselves
  };
  EXPECT_FALSE(summarize(shuffled(5)).ci95);
  for (const Known& known : {Known{6, 1, 6}, Known{8, 1, 8}, Known{9, 2, 8}, Known{20, 6, 15}, Known{100, 40, 61}}) {
    const auto ci = summarize(shuffled(known.n)).ci95;
    ASSERT_TRUE(ci) << known.n;
    EXPECT_EQ(ci->lo, known.lo) << known.n;
    EXPECT_EQ(ci->hi, known.hi) << known.n;
  }
  // Large n: n/2 -+ 1.96 sqrt(n)/2 to within one rank.
  const auto ci = summarize(shuffled(10000)).ci95;
  ASSERT_TRUE(ci);
  EXPECT_NEAR(ci->lo, 5000 - 0.98 * 100, 1);
  EXPECT_NEAR(ci->hi, 5001 + 0.98 * 100, 1);
}

TEST(Stats, MedianCiCoversTheTrueMedian) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> draw(1);
  constexpr int kTrials = 4000;
  for (const std::size_t n : {6UL, 21UL, 64UL, 200UL}) {
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(n);
      for (double& value : values) value = draw(random);
      const auto ci = summarize(values).ci95;
      ASSERT_TRUE(ci);
      covered += ci->lo <= std::log(2) && std::log(2) <= ci->hi ? 1 : 0;
    }
    EXPECT_GE(covered, 0.945 * kTrials) << n;
    EXPECT_LE(covered, 0.985 * kTrials) << n << ": wider than need be";
  }
}

TEST(Stats, DistinctValues) {
  EXPECT_EQ(distinct_values(std::vector{3.0, 1.0, 3.0, 2.0, 1.0}), 3U);
  EXPECT_EQ(distinct_values(std::vector{1.0, 1.0}), 1U);
  EXPECT_EQ(distinct_values(std::vector<double>{}), 0U);
}

TEST(Stats, Summary) {
  const Summary summary = summarize(shuffled(20));
  EXPECT_EQ(summary.samples, 20U);
  EXPECT_EQ(summary.median, 10.5);
  EXPECT_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.p05, 1.95);
  EXPECT_DOUBLE_EQ(summary.p95, 19.05);
  ASSERT_TRUE(summary.ci95);
  EXPECT_EQ(summary.ci95->lo, 6);
  EXPECT_FALSE(summarize(shuffled(5)).ci95);
  EXPECT_THROW(summarize(std::vector<double>{}), Error);
}

// By hand, with A = 200 [190, 220] and B = 100 [95, 104]:
//   lower distance = sqrt(ln(200/190)^2 + ln(104/100)^2) = sqrt(0.0512933^2 + 0.0392207^2) = 0.0645699 -> 2 exp(-0.0645699)
//   upper distance = sqrt(ln(220/200)^2 + ln(100/95)^2)  = sqrt(0.0953102^2 + 0.0512933^2) = 0.1082360 -> 2 exp(+0.1082360)
TEST(Stats, RatioCombinesTheIntervals) {
  const auto found = ratio(summary_of(200, 190, 220), summary_of(100, 95, 104));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->value, 2, 1e-12);
  EXPECT_NEAR(found->lo, 2 * std::exp(-0.0645699), 1e-6);
  EXPECT_NEAR(found->hi, 2 * std::exp(+0.1082360), 1e-6);
  // Swapped, the ratio and its interval are the reciprocals.
  const auto swapped = ratio(summary_of(100, 95, 104), summary_of(200, 190, 220));
  ASSERT_TRUE(swapped);
  EXPECT_DOUBLE_EQ(swapped->lo, 1 / found->hi);
  EXPECT_DOUBLE_EQ(swapped->hi, 1 / found->lo);
}

TEST(Stats, NoRatioWithoutIntervalsOrOfTimesThatAreNotPositive) {
  const Summary fine = summary_of(100, 95, 104);
  EXPECT_FALSE(ratio(fine, Summary{}));
  EXPECT_FALSE(ratio(Summary{}, fine));
  EXPECT_FALSE(ratio(fine, summary_of(1, 0, 2)));
  EXPECT_FALSE(ratio(summary_of(1, -1, 2), fine));
  EXPECT_FALSE(ratio(summary_of(1, std::nan(""), 2), fine));
}

// 1 % of normal noise on both sides, medians 1 and `shift`.
struct Tally {
  int trials = 0, faster = 0, slower = 0, covered = 0;
};
Tally simulate(double shift, std::size_t n, int trials) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> noise(1, 0.01);
  Tally tally;
  for (tally.trials = 0; tally.trials < trials; ++tally.trials) {
    std::vector<double> a(n);
    std::vector<double> b(n);
    for (double& value : a) value = shift * noise(random);
    for (double& value : b) value = noise(random);
    const auto found = ratio(summarize(a), summarize(b));
    tally.faster += found && found->hi < 0.99 ? 1 : 0;
    tally.slower += found && found->lo > 1.01 ? 1 : 0;
    tally.covered += found && found->lo <= shift && shift <= found->hi ? 1 : 0;
  }
  return tally;
}

TEST(Stats, RatiosAreRightMostOfTheTime) {
  for (const std::size_t n : {20UL, 50UL, 100UL, 200UL}) {
    const Tally same = simulate(1, n, 2000);
    EXPECT_LE(same.faster + same.slower, 0.05 * same.trials) << n;
    EXPECT_GE(same.covered, 0.945 * same.trials) << n << ": the interval is too short";
    const Tally slower = simulate(1.03, n, 2000);
    EXPECT_GE(slower.slower, 0.95 * slower.trials) << n;
    EXPECT_EQ(slower.faster, 0) << n;
    const Tally faster = simulate(1 / 1.03, n, 2000);
    EXPECT_GE(faster.faster, 0.95 * faster.trials) << n;
    EXPECT_EQ(faster.slower, 0) << n;
  }
}

}  // namespace
}  // namespace bench
