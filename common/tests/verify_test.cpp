#include "core/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "core/workbench.h"
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

TEST(VerifyReport, CollectsFromSeveralThreads) {
  VerifyReport report;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&report, t] {
      const std::vector<float> wrong(1000, -1);
      compare<float>(
          wrong, 1000 * t, [](std::uint64_t) { return 1.0F; }, 0, report);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(report.count(), 8000U);
  EXPECT_THAT(message_of<Error>([&] { report.check(8000); }),
              HasSubstr("8000 of 8000 elements differ; [0] found -1, expected 1; [1]"));
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

TEST(ParallelFor, PassesExceptionsOn) {
  EXPECT_THROW(parallel_for(1000, 1,
                            [](std::uint64_t, std::uint64_t end) {
                              if (end == 1000) throw Error("at the end");
                            }),
               Error);
}

}  // namespace
}  // namespace bench
