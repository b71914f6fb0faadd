#include "tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace litmus {
namespace {

using testing::ElementsAre;

// Registers 0 to 3, x, y.
constexpr std::uint32_t outcome(std::uint32_t r0, std::uint32_t r1 = 0, std::uint32_t r2 = 0, std::uint32_t r3 = 0,
                                std::uint32_t x = 0, std::uint32_t y = 0) {
  return r0 | r1 << 2 | r2 << 4 | r3 << 6 | x << 8 | y << 10;
}

std::vector<std::uint32_t> weak_outcomes(std::string_view name) {
  const Classifier classifier(test(name));
  std::vector<std::uint32_t> weak;
  for (std::uint32_t code = 0; code < LITMUS_OUTCOMES; ++code) {
    if (classifier.kind(code) == Kind::kWeak) weak.push_back(code);
  }
  return weak;
}

TEST(LitmusTests, ThePlantedForbiddenOutcomeIsTheOnlyOneDetected) {
  EXPECT_THAT(weak_outcomes("mp"), ElementsAre(outcome(1, 0)));
  EXPECT_THAT(weak_outcomes("handoff"), ElementsAre(outcome(1, 0)));
  EXPECT_THAT(weak_outcomes("sb"), ElementsAre(outcome(0, 0)));
  EXPECT_THAT(weak_outcomes("lb"), ElementsAre(outcome(1, 1)));
  EXPECT_THAT(weak_outcomes("s"), ElementsAre(outcome(1, 0, 0, 0, 2)));
  EXPECT_THAT(weak_outcomes("r"), ElementsAre(outcome(0, 0, 0, 0, 0, 2)));
  EXPECT_THAT(weak_outcomes("two_plus_two_w"), ElementsAre(outcome(0, 0, 0, 0, 1, 1)));
  EXPECT_THAT(weak_outcomes("iriw"), ElementsAre(outcome(1, 0, 1, 0)));
  EXPECT_THAT(weak_outcomes("wrc"), ElementsAre(outcome(1, 1, 0)));
  EXPECT_THAT(weak_outcomes("corr"), ElementsAre(outcome(1, 0)));
  EXPECT_THAT(weak_outcomes("coww"), ElementsAre(outcome(0, 0, 0, 0, 1), outcome(1, 0, 0, 0, 1), outcome(2, 0, 0, 0, 1)));
  EXPECT_THAT(weak_outcomes("flag"), ElementsAre());
}

TEST(LitmusTests, ALoadNeitherMissesItsOwnStoreNorSeesTheOneAfter) {
  const Classifier cowr(test("cowr"));
  EXPECT_EQ(cowr.kind(outcome(0, 2, 0, 0, 2)), Kind::kWeak);
  EXPECT_EQ(cowr.kind(outcome(1, 0, 0, 0, 1)), Kind::kWeak);
  EXPECT_EQ(cowr.kind(outcome(2, 2, 0, 0, 1)), Kind::kWeak);  // 2 came after 1, and 1 is left
  EXPECT_EQ(cowr.kind(outcome(2, 2, 0, 0, 2)), Kind::kSequential);
  const Classifier corw(test("corw"));
  EXPECT_EQ(corw.kind(outcome(1, 0, 0, 0, 1)), Kind::kWeak);
  EXPECT_EQ(corw.kind(outcome(2, 2, 0, 0, 1)), Kind::kWeak);
  EXPECT_EQ(corw.kind(outcome(2, 0, 0, 0, 1)), Kind::kSequential);
}

TEST(LitmusTests, AnExchangeOfAccessesIsWhatACoherenceTestLooksFor) {
  for (const litmus::Test& one : tests()) {
    if (one.family != Family::kCoherence) continue;
    litmus::Test seeded = one;  // as the kernels play it with LitmusParams::fault
    for (auto& role : seeded.roles) std::ranges::reverse(role);
    const Classifier classifier(one);
    const std::set<std::uint32_t> outcomes = sequential_outcomes(seeded);
    EXPECT_TRUE(std::ranges::any_of(outcomes, [&](auto each) { return classifier.kind(each) == Kind::kWeak; })) << one.name;
    EXPECT_TRUE(std::ranges::none_of(outcomes, [&](auto each) { return classifier.kind(each) == Kind::kImpossible; }))
        << one.name;
  }
}

TEST(LitmusTests, WhatNobodyStoredIsImpossible) {
  const Classifier mp(test("mp"));
  EXPECT_EQ(mp.kind(outcome(3, 0)), Kind::kImpossible);  // a register that no thread wrote
  EXPECT_EQ(mp.kind(outcome(2, 1)), Kind::kImpossible);
  EXPECT_EQ(mp.kind(outcome(1, 1, 1)), Kind::kImpossible);                           // a register the test does not have
  EXPECT_EQ(Classifier(test("s")).kind(outcome(0, 0, 0, 0, 0)), Kind::kImpossible);  // both stores to x are lost
}

TEST(LitmusTests, EveryTestsRolesInTurnAreSequential) {
  for (const auto& one : tests()) {
    const Classifier classifier(one);
    for (const bool second_first : {false, true}) {
      EXPECT_EQ(classifier.kind(outcome_in_order(one, second_first)), Kind::kSequential) << one.name;
    }
  }
  EXPECT_EQ(outcome_in_order(test("mp"), false), outcome(1, 1));
  EXPECT_EQ(outcome_in_order(test("mp"), true), outcome(0, 0));
}

TEST(LitmusTests, EveryRowHasARule) {
  for (const auto& one : tests()) {
    for (const Strength strength : one.strengths) {
      for (const Placement placement : {Placement::kBlock, Placement::kCluster, Placement::kBlocks}) {
        const Rule& found = rule(one, strength, placement);
        EXPECT_FALSE(found.ptx.empty());
        EXPECT_EQ(found.vulkan.empty(), !in_vulkan(strength)) << one.name << ' ' << to_string(strength);
      }
    }
  }
}

TEST(LitmusTests, AtomicsOutOfEachOthersScopeAreADataRaceInVulkan) {
  for (const auto& one : tests()) {
    if (std::find(one.strengths.begin(), one.strengths.end(), Strength::kRelaxedBlock) == one.strengths.end()) continue;
    EXPECT_TRUE(rule(one, Strength::kRelaxedBlock, Placement::kBlocks).vulkan.starts_with("a data race")) << one.name;
    EXPECT_FALSE(rule(one, Strength::kRelaxedBlock, Placement::kBlock).vulkan.starts_with("a data race")) << one.name;
  }
}

TEST(LitmusTests, OnlySequentiallyConsistentFencesForbidWhatNeedsATotalOrder) {
  EXPECT_FALSE(rule(test("sb"), Strength::kFence, Placement::kBlocks).forbidden);
  EXPECT_TRUE(rule(test("sb"), Strength::kFenceSc, Placement::kBlocks).forbidden);
  EXPECT_FALSE(rule(test("sb"), Strength::kFenceScBlock, Placement::kBlocks).forbidden);
  EXPECT_TRUE(rule(test("mp"), Strength::kFence, Placement::kBlocks).forbidden);
  EXPECT_FALSE(rule(test("mp"), Strength::kFenceBlock, Placement::kCluster).forbidden);
  EXPECT_TRUE(rule(test("mp"), Strength::kFenceBlock, Placement::kBlock).forbidden);
  EXPECT_FALSE(rule(test("mp"), Strength::kFenceScBlock, Placement::kBlocks).forbidden);
  EXPECT_TRUE(rule(test("mp"), Strength::kFenceScBlock, Placement::kBlock).forbidden);
  EXPECT_FALSE(rule(test("mp"), Strength::kRelaxed, Placement::kBlock).forbidden);
}

LitmusParams params_of(std::uint32_t seed, Placement placement) {
  LitmusParams params{};
  params.seed = seed;
  params.threads = 128;
  params.test_blocks = 16;
  params.rounds = 2;
  params.placement = static_cast<std::uint32_t>(placement);
  params.scatter_x = 0x9e3779b1U;
  params.scatter_y = 0x85ebca77U;
  params.spacing_log2 = 2;
  return params;
}

struct Player {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
};

// Who plays `role` of each instance; fails where two threads play the same.
std::map<std::uint32_t, Player> players(const LitmusParams& params, std::uint32_t role) {
  std::map<std::uint32_t, Player> result;
  for (std::uint32_t round = 0; round < params.rounds; ++round) {
    for (std::uint32_t block = 0; block < params.test_blocks; ++block) {
      for (std::uint32_t warp = 0; warp < params.threads / LITMUS_WARP; ++warp) {
        for (std::uint32_t lane = 0; lane < LITMUS_WARP; ++lane) {
          const std::uint32_t instance = litmus_instance(params, round, block, warp, lane, role);
          EXPECT_LT(instance, litmus_instances(params));
          EXPECT_TRUE(result.emplace(instance, Player{block, warp}).second) << instance << " is played twice";
        }
      }
    }
  }
  return result;
}

TEST(LitmusTests, EveryRoleOfEveryInstanceHasOneThreadAndItIsWhereThePlacementSays) {
  for (const std::uint32_t seed : {1U, 2U, 0xdeadbeefU}) {
    for (const Placement placement : {Placement::kSelf, Placement::kBlock, Placement::kCluster, Placement::kBlocks}) {
      const LitmusParams params = params_of(seed, placement);
      std::vector<std::map<std::uint32_t, Player>> roles;
      for (std::uint32_t role = 0; role < LITMUS_REGISTERS; ++role) roles.push_back(players(params, role));
      for (std::uint32_t instance = 0; instance < litmus_instances(params); ++instance) {
        for (std::uint32_t a = 0; a < roles.size(); ++a) {
          for (std::uint32_t b = a + 1; b < roles.size(); ++b) {
            const Player one = roles[a].at(instance);
            const Player other = roles[b].at(instance);
            const bool same_block = one.block == other.block;
            const bool same_warp = same_block && one.warp == other.warp;
            ASSERT_EQ(same_warp, placement == Placement::kSelf) << "roles " << a << ' ' << b;
            ASSERT_EQ(same_block, placement == Placement::kSelf || placement == Placement::kBlock);
            if (placement == Placement::kCluster) {
              ASSERT_EQ(one.block / LITMUS_CLUSTER_BLOCKS, other.block / LITMUS_CLUSTER_BLOCKS);
            }
          }
        }
      }
    }
  }
}

TEST(LitmusTests, EveryInstanceHasAnXAndAYOfItsOwnInDifferentLines) {
  const LitmusParams params = params_of(7, Placement::kBlocks);
  std::set<std::uint32_t> words;
  for (std::uint32_t instance = 0; instance < litmus_instances(params); ++instance) {
    const std::uint32_t x = litmus_location(params, 0, instance);
    const std::uint32_t y = litmus_location(params, 1, instance);
    EXPECT_TRUE(words.insert(x).second && words.insert(y).second) << instance;
    EXPECT_NE(x / LITMUS_LINE, y / LITMUS_LINE) << instance;
  }
  EXPECT_LT(*words.rbegin(), 2 * litmus_instances(params) << params.spacing_log2);
}

}  // namespace
}  // namespace litmus
