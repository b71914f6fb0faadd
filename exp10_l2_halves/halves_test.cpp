// Planted halves and homes are found again, and noise is no two halves.
#include "halves.h"

#include <gtest/gtest.h>

#include <random>

namespace {

constexpr std::size_t kSms = 132;
constexpr std::size_t kGranules = 256;
constexpr double kNear = 200;

struct Planted {
  std::vector<std::uint32_t> half;
  std::vector<std::uint32_t> home;
  std::vector<double> latencies;
};

// Some SMs and some granules are farther from everything; `gap`: what far takes longer, in units of the noise.
Planted planted(double gap, std::size_t in_half_1) {
  std::mt19937 bits(7);
  std::normal_distribution<double> noise(0, 1);
  Planted made;
  for (std::size_t sm = 0; sm < kSms; ++sm) made.half.push_back(sm % 3 == 1 || sm % 3 == 2 ? 1 : 0);
  std::size_t ones = 0;
  for (std::uint32_t& half : made.half) half = half == 1 && ones++ < in_half_1 ? 1 : 0;
  for (std::size_t i = 0; i < kGranules; ++i) made.home.push_back((i ^ i >> 1 ^ i >> 4) % 2);
  std::vector<double> of_granule;
  for (std::size_t i = 0; i < kGranules; ++i) of_granule.push_back(3 * noise(bits));
  for (std::size_t sm = 0; sm < kSms; ++sm) {
    const double of_sm = 10 * noise(bits);
    for (std::size_t i = 0; i < kGranules; ++i) {
      made.latencies.push_back(kNear + of_sm + of_granule[i] + (made.half[sm] != made.home[i] ? gap : 0) + noise(bits));
    }
  }
  return made;
}

TEST(Halves, PlantedOnesAreFound) {
  const Planted made = planted(6, 66);
  const Halves found = split_halves(made.latencies, kSms);
  EXPECT_EQ(found.why_not, "");
  EXPECT_EQ(found.half, made.half);
  EXPECT_EQ(found.home, made.home);
  for (std::size_t half = 0; half < 2; ++half) EXPECT_NEAR(found.far[half] - found.near[half], 6, 1);
}

TEST(Halves, FarFromHalf0IsHome1WhateverTheFirstGranule) {
  const double far = 300;
  const std::vector<double> latencies = {far,   kNear, far,   kNear,  //
                                         kNear, far,   kNear, far,    //
                                         far,   kNear, far,   kNear,  //
                                         kNear, far,   kNear, far};
  const Halves found = split_halves(latencies, 4);
  EXPECT_EQ(found.why_not, "");
  EXPECT_EQ(found.half, (std::vector<std::uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(found.home, (std::vector<std::uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(found.near, (std::array<double, 2>{kNear, kNear}));
  EXPECT_EQ(found.far, (std::array<double, 2>{far, far}));
}

TEST(Halves, NoiseIsNone) {
  EXPECT_TRUE(split_halves(planted(0, 66).latencies, kSms).why_not.starts_with("no two halves of SMs: far takes"));
  EXPECT_TRUE(split_halves(planted(2, 66).latencies, kSms).why_not.starts_with("no two halves of SMs: far takes"));
}

TEST(Halves, AFewSmsAreNoHalf) {
  EXPECT_EQ(split_halves(planted(20, 12).latencies, kSms).why_not,
            "no two halves of SMs: the smaller half or home would have 9 %");
}

TEST(Halves, EqualLatenciesAreNone) {
  EXPECT_EQ(split_halves(std::vector<double>(64, kNear), 8).why_not,
            "no two halves of SMs: the smaller half or home would have 0 %");
}

TEST(Halves, AHomeIsTheOneThatIsNearerThanTheMiddle) {
  // Half 1 is 40 cycles farther from everything: the difference is -140 at home 0, 60 at home 1.
  const Halves halves = {.half = {0, 1}, .home = {0, 1}, .near = {200, 240}, .far = {300, 340}, .why_not = {}};
  const std::vector<double> latencies = {201, 299, 250, 339, 241, 300};
  EXPECT_EQ(homes_of(latencies, halves), (std::vector<std::uint32_t>{0, 1, 0}));
}

}  // namespace
