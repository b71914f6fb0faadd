#include "core/experiment/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan gpu_plan() {
  Plan plan;
  plan.l2_bytes = 1 << 20;
  plan.dram_bytes = 4 << 20;
  plan.max_buffer_bytes = 1 << 20;
  plan.wished_buffer_bytes = 4 << 20;
  return plan;
}

TEST(Plan, SweepsPowersOfTwoAndAlwaysTheLast) {
  EXPECT_THAT(gpu_plan().sizes_or(10, 14, 2, 4), ElementsAre(1 << 10, 1 << 12, 1 << 14));
  EXPECT_THAT(gpu_plan().sizes_or(10, 13, 2, 4), ElementsAre(1 << 10, 1 << 12, 1 << 13));
  EXPECT_THAT(gpu_plan().sizes_or(10, 10, 1, 4), ElementsAre(1 << 10));
}

TEST(Plan, CutsTheSweepToWhatFits) {
  // 2^18 elements * 4 B = 1 MiB, the default ceiling.
  EXPECT_THAT(gpu_plan().sizes_or(16, 30, 1, 4), ElementsAre(1 << 16, 1 << 17, 1 << 18));
  EXPECT_THAT(gpu_plan().sizes_or(20, 30, 1, 4), ElementsAre(1 << 18));
  EXPECT_EQ(gpu_plan().largest(30, 4), 1U << 18);
  EXPECT_EQ(gpu_plan().largest(30, 12), 1U << 16);
  EXPECT_EQ(gpu_plan().largest(10, 4), 1U << 10);
}

TEST(Plan, SmokeIsOneSmallSizeThatNoBlockDivides) {
  Plan plan = gpu_plan();
  plan.smoke = true;
  EXPECT_THAT(plan.sizes_or(10, 20, 1, 4), ElementsAre(33 * 32));
  EXPECT_EQ(plan.largest(20, 4), 33U * 32);
}

TEST(Plan, TakesTheUsersSizes) {
  Plan plan = gpu_plan();
  plan.smoke = true;
  plan.sizes = {64, 1 << 20, 96};  // 2^20 * 4 B = 4 MiB: more than the default, and all that fits
  EXPECT_THAT(plan.sizes_or(10, 12, 1, 4), ElementsAre(64, 1 << 20, 96));
  EXPECT_EQ(plan.largest(10, 4), 1U << 20);
}

TEST(Plan, SaysWhatWouldFit) {
  Plan plan = gpu_plan();
  plan.sizes = {(1 << 20) + 32};
  for (const auto& ask :
       {std::function<void()>([&] { plan.sizes_or(10, 12, 1, 4); }), std::function<void()>([&] { plan.largest(10, 4); })}) {
    EXPECT_THAT(message_of<UsageError>(ask),
                testing::AllOf(HasSubstr("--size 1048608"), HasSubstr("largest size here is 1048576"),
                               HasSubstr("one buffer has room for 4194304 bytes, an element takes 4")));
  }
  plan.sizes = {1 << 20};
  EXPECT_THAT(message_of<UsageError>([&] { plan.largest(10, 12); }),
              HasSubstr("largest size here is 349504"));  // 2^22 / 12, whole warps
  plan.sizes = {1ULL << 62};                              // * 4 is 0 in 64 bits
  EXPECT_THAT(message_of<UsageError>([&] { plan.largest(10, 4); }), HasSubstr("largest size here is 1048576"));
  plan.sizes = {100};
  EXPECT_THAT(message_of<UsageError>([&] { plan.sizes_or(10, 12, 1, 4); }), HasSubstr("multiples of 32"));
}

// All kernels and references count words in 32 bits.
TEST(Plan, RefusesWhatAnIndexOf32BitsDoesNotReach) {
  Plan plan = gpu_plan();
  plan.wished_buffer_bytes = 64ULL << 30;
  EXPECT_EQ(plan.most(4), 0xffc00000U) << "2^32 words, less the longest stride";
  EXPECT_EQ(plan.most(16), 0x3ff00000U);
  plan.sizes = {0xffc00000U};
  EXPECT_EQ(plan.largest(10, 4), 0xffc00000U);
  for (std::uint32_t k = 5; k < 22; ++k) {
    plan.sizes = {(1ULL << 32) - (1ULL << k)};  // a loop whose stride divides 2^32 would never end
    EXPECT_THROW(plan.largest(10, 4), UsageError) << k;
  }
  plan.sizes = {1ULL << 32};
  EXPECT_THAT(
      message_of<UsageError>([&] { plan.sizes_or(10, 12, 1, 4); }),
      testing::AllOf(HasSubstr("--size 4294967296: "), HasSubstr("in 32 bits"), HasSubstr("largest size here is 4290772992")));
}

TEST(Plan, RefusesWhatOneLaunchHasNoThreadsFor) {
  Plan plan = gpu_plan();
  plan.max_grid_x = 65535;
  EXPECT_EQ(plan.most(4), 1U << 20) << "what fits a buffer is less";
  plan.max_grid_x = 100;
  plan.sizes = {3232};
  EXPECT_THAT(message_of<UsageError>([&] { plan.largest(10, 4); }),
              HasSubstr("--size 3232: the largest size here is 3200: one launch has 100 blocks at most"));
}

TEST(Plan, ColdForDramSizesWarmBelow) {
  Plan plan = gpu_plan();
  EXPECT_THAT(plan.caches_for((4 << 20) - 1), ElementsAre(Cache::kWarm));
  EXPECT_THAT(plan.caches_for(4 << 20), ElementsAre(Cache::kCold));
  EXPECT_TRUE(plan.is_dram(4 << 20));
  EXPECT_FALSE(plan.is_dram((4 << 20) - 1));
  plan.caches = {Cache::kCold, Cache::kWarm};
  EXPECT_THAT(plan.caches_for(1), ElementsAre(Cache::kCold, Cache::kWarm));
  EXPECT_THAT(plan.caches_for(0), ElementsAre(Cache::kWarm));
}

TEST(Twin, IsTheSameSetUpForBothApis) {
  int calls = 0;
  const Case table = twin("add", {{"block", 256}}, [&](Workbench&) {
    ++calls;
    return std::unique_ptr<Subject>();
  });
  const std::vector<Case> cases = with_sides({table}, kBothApis);
  ASSERT_EQ(cases.size(), 1U);
  const Case& made = cases[0];
  ASSERT_EQ(made.sides.size(), 2U);
  EXPECT_EQ(made.sides[0].api, cuda::kApi);
  EXPECT_EQ(made.sides[1].api, vulkan::kApi);
  FakeDevice device;
  Workbench workbench(device, 1);
  for (const Side& side : made.sides) {
    EXPECT_EQ(side.variant, "add");
    EXPECT_EQ(side.params.text("block"), "256");
    side.set_up(workbench);
  }
  EXPECT_EQ(calls, 2);
}

TEST(WithSides, ACaseIsLeftToTheApisThatHaveIt) {
  Case original = twin("add", {}, {});
  original.apis = {{vulkan::kApi}};
  const std::vector<Case> cases = with_sides({original}, kBothApis);
  ASSERT_EQ(cases.size(), 1U);
  ASSERT_EQ(cases[0].sides.size(), 1U);
  EXPECT_EQ(cases[0].sides[0].api, vulkan::kApi);
  EXPECT_EQ(with_sides(aa_controls(original), kBothApis).size(), 1U) << "its control is, too";
  original.apis = std::vector<Api>{};
  EXPECT_TRUE(with_sides({original}, kBothApis)[0].sides.empty());
}

TEST(WithSides, AnApiWordsAParameter) {
  Case original = twin("add", {{"block", 256}}, {});
  original.sides[0].worded = [](const Api& api) { return Values{{"mode", word_of(SubmitMode::kReplay, api)}}; };
  const std::vector<Case> cases = with_sides({original}, kBothApis);
  EXPECT_EQ(cases[0].sides[0].params.text("mode"), "graph");
  EXPECT_EQ(cases[0].sides[1].params.text("mode"), "prerecorded");
  EXPECT_EQ(cases[0].sides[1].params.text("block"), "256");
}

TEST(WithSides, SidesThatNameAnApiStay) {
  Case original;
  original.sides = {{.api = cuda::kApi, .variant = "old", .params = {}, .set_up = {}},
                    {.api = cuda::kApi, .variant = "new", .params = {}, .set_up = {}}};
  EXPECT_EQ(with_sides({original}, kBothApis)[0].sides.size(), 2U) << "two kernels of one API are a pair";
  original.sides[1].api = {};
  EXPECT_THAT(message_of<Error>([&] { with_sides({original}, kBothApis); }), testing::HasSubstr("variant old"));
}

TEST(AaControls, PairEachSideWithItself) {
  Case original = twin("add", {{"block", 256}}, {});
  original.elements = 4096;
  const std::vector<Case> controls = with_sides(aa_controls(original), kBothApis);
  ASSERT_EQ(controls.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(controls[c].elements, 4096U);
    ASSERT_EQ(controls[c].sides.size(), 2U);
    for (const Side& side : controls[c].sides) {
      EXPECT_EQ(side.api, kBothApis[c]);
      EXPECT_EQ(side.params.text("block"), "256");
    }
    EXPECT_NE(controls[c].sides[0].variant, controls[c].sides[1].variant) << "or their rows would have one key";
  }
}

}  // namespace
}  // namespace bench
