#include "core/experiment/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <limits>
#include <thread>

#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/experiment/workbench.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint64_t kMillion = 1'000'000;

TEST(Matches, ToleranceIsInclusiveAndNanNeverPasses) {
  EXPECT_TRUE(matches(1.0F, 1.0F, 0));
  EXPECT_TRUE(matches(0.0F, -0.0F, 0));
  EXPECT_TRUE(matches(1.5F, 1.0F, 0.5)) << "err == tol";
  EXPECT_TRUE(matches(0.5F, 1.0F, 0.5));
  EXPECT_FALSE(matches(1.5F, 1.0F, 0.4999));
  EXPECT_FALSE(matches(kNan, 1.0F, 1e30));
  EXPECT_FALSE(matches(1.0F, kNan, 1e30));
  EXPECT_FALSE(matches(kNan, std::bit_cast<float>(kPoison), 1e30)) << "another NaN";
  EXPECT_TRUE(matches(std::bit_cast<float>(kPoison), std::bit_cast<float>(kPoison), 0)) << "the same bits";
  EXPECT_TRUE(matches(kInfinity, kInfinity, 0));
  EXPECT_FALSE(matches(kInfinity, -kInfinity, 1e30));
  EXPECT_FALSE(matches(kInfinity, 1.0F, 1e30));
}

TEST(Matches, IntegersAreComparedExactly) {
  EXPECT_TRUE(matches<std::uint32_t>(7, 7, 0));
  EXPECT_FALSE(matches<std::uint32_t>(7, 8, 0));
  EXPECT_TRUE(matches<std::uint32_t>(7, 8, 1));
  EXPECT_FALSE(matches<std::uint32_t>(0xffffffff, 0xfffffffe, 0)) << "a float would not tell them apart";
}

// An output of the workbench, and what a kernel that doubles would leave in it.
class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    for (std::uint64_t i = 0; i < kMillion; ++i) floats()[i] = expected(i);
  }

  static float expected(std::uint64_t i) { return static_cast<float>(2 * i % 65536); }
  float* floats() { return words_of<float>(output_); }
  std::uint32_t* words() { return words_of<std::uint32_t>(output_); }
  void verify_output() { verify<float>(device_, output_, kMillion, kGuardWords, expected); }
  std::string complaint() {
    return message_of<Error>([this] { verify_output(); });
  }

  FakeDevice device_;
  Workbench workbench_{device_, 1};
  Buffer& output_ = workbench_.output("output", kMillion);
};

TEST_F(VerifyTest, RightOutputPasses) { EXPECT_NO_THROW(verify_output()); }

TEST_F(VerifyTest, OneWrongElementInAMillionIsNamed) {
  for (const std::uint64_t index : {std::uint64_t{0}, std::uint64_t{777'777}, kMillion - 1}) {
    floats()[index] += 1;
    EXPECT_THAT(complaint(),
                testing::AllOf(HasSubstr("1 of 1000000 elements differ"), HasSubstr(fmt::format("[{}] found", index)),
                               HasSubstr(fmt::format("expected {}", expected(index)))));
    floats()[index] = expected(index);
  }
  EXPECT_NO_THROW(verify_output());
}

TEST_F(VerifyTest, AnElementNobodyWroteIsFound) {
  words()[123'456] = kPoison;
  EXPECT_THAT(complaint(), HasSubstr("[123456] found -nan"));
}

TEST_F(VerifyTest, NanFails) {
  floats()[5] = kNan;
  EXPECT_THAT(complaint(), HasSubstr("[5] found nan"));
}

TEST_F(VerifyTest, ShowsTheFirstFiveInOrderAndTheTotal) {
  for (std::uint64_t i = 3; i < kMillion; i += 1000) floats()[i] = -1;
  EXPECT_EQ(complaint(),
            "wrong output: 1000 of 1000000 elements differ; [3] found -1, expected 6; [1003] found -1, expected 2006; "
            "[2003] found -1, expected 4006; [3003] found -1, expected 6006; [4003] found -1, expected 8006");
}

TEST_F(VerifyTest, AGuardWordOverwrittenIsFound) {
  for (const std::uint64_t guard : {std::uint64_t{0}, kGuardWords - 1}) {
    words()[kMillion + guard] = 0;
    EXPECT_THAT(complaint(), HasSubstr(fmt::format("wrote past its end, {} words after element 1000000", guard)));
    words()[kMillion + guard] = kPoison;
  }
  EXPECT_NO_THROW(verify_output());
}

TEST_F(VerifyTest, AnOutputTooShortIsAnError) {
  EXPECT_THAT(message_of<Error>([this] { verify<float>(device_, output_, kMillion + 1, kGuardWords, expected); }),
              HasSubstr("the output is too short: 4000256 bytes"));
}

TEST_F(VerifyTest, ToleranceIsTheCallers) {
  floats()[9] += 0.5F;
  EXPECT_NO_THROW(verify<float>(device_, output_, kMillion, kGuardWords, expected, 0.5));
  EXPECT_THROW(verify<float>(device_, output_, kMillion, kGuardWords, expected, 0.25), Error);
}

TEST(Mismatches, AreMergedInTheOrderOfTheirIndices) {
  const auto part = [](std::uint64_t first) {
    const std::vector<float> wrong(3000, -1);
    return compare<float>(
        wrong, first, [](std::uint64_t i) { return i % 2 == 0 ? -1.0F : 1.0F; }, 0);
  };
  Mismatches<float> all = part(6000);
  all.merge(part(0));
  all.merge(part(3000));
  EXPECT_EQ(all.count(), 4500U);
  EXPECT_EQ(message_of<Error>([&] { all.check(9000); }),
            "wrong output: 4500 of 9000 elements differ; [1] found -1, expected 1; [3] found -1, expected 1; "
            "[5] found -1, expected 1; [7] found -1, expected 1; [9] found -1, expected 1");
}

TEST(Mismatches, AllAreCountedWithinTheToleranceNone) {
  std::vector<float> found(10'000);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = i % 4 == 0 ? 2.0F : i % 4 == 1 ? 1.25F : i % 4 == 2 ? kNan : 1.0F;
  const auto one = [](std::uint64_t) { return 1.0F; };
  EXPECT_EQ(compare<float>(found, 0, one, 0).count(), 7500U);
  EXPECT_EQ(compare<float>(found, 0, one, 0.25).count(), 5000U);
  EXPECT_EQ(compare<float>(found, 0, one, 1).count(), 2500U) << "the NaNs";
}

// Wording each of a few million mismatches takes a hundred times as long.
TEST(Mismatches, AWrongOutputCostsAsMuchAsARightOne) {
  const auto hashed = [](std::uint64_t i) { return random_float(1, 0, i); };
  std::vector<float> right(1 << 22);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = hashed(i);
  const std::vector<float> wrong(right.size(), -1);
  const auto seconds = [&](const std::vector<float>& output, std::uint64_t mismatches) {
    double least = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::clock_t start = std::clock();  // the CPU's: others may want it, too
      EXPECT_EQ(compare<float>(output, 0, hashed, 0).count(), mismatches);
      least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
  };
  const double of_a_right_one = seconds(right, 0);
  EXPECT_LT(seconds(wrong, wrong.size()), 2 * of_a_right_one);
}

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const std::uint64_t count : {0ULL, 1ULL, 7ULL, 1000ULL, 1001ULL}) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, 10, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) ++visits[i];
    });
    for (const std::atomic<int>& visit : visits) EXPECT_EQ(visit, 1);
  }
}

// The threads are kept from call to call: each call's pieces are done once, and all of them before it returns.
TEST(ParallelFor, EachOfManyCallsIsWhole) {
  for (std::uint64_t call = 1; call <= 2000; ++call) {
    std::vector<std::uint64_t> sums(call % 70);
    run_by_threads(sums.size(), [&](std::uint64_t i) { sums[i] += call + i; });
    for (std::uint64_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], call + i);
  }
}

TEST(ParallelFor, ACallMayBeWithinACallOrBesideOne) {
  std::atomic<std::uint64_t> visits = 0;
  const auto nested = [&] { run_by_threads(20, [&](std::uint64_t) { run_by_threads(30, [&](std::uint64_t) { ++visits; }); }); };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) callers.emplace_back(nested);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(visits, 3 * 20 * 30);
}

TEST(ParallelFor, PassesExceptionsOn) {
  EXPECT_THROW(parallel_for(1000, 1,
                            [](std::uint64_t, std::uint64_t end) {
                              if (end == 1000) throw Error("at the end");
                            }),
               Error);
}

}  // namespace
}  // namespace bench
