#include "reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"

namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> after(std::uint32_t operation, std::vector<std::uint32_t> lanes, bool even = false) {
  operate(operation, even, 5, lanes);
  return lanes;
}

// The lane's number is added to each.
TEST(SubgroupReference, EachOperation) {
  const std::vector<std::uint32_t> lanes = {7, 2, 3, 9};
  EXPECT_THAT(after(EXP09_NONE, lanes), ElementsAre(2, 7 + 1, 6 + 2, 12 + 3));
  EXPECT_THAT(after(EXP09_SHUFFLE, lanes), ElementsAre(9, 3 + 1, 9 + 2, 2 + 3));
  EXPECT_THAT(after(EXP09_SHUFFLE_XOR, lanes), ElementsAre(2, 7 + 1, 9 + 2, 3 + 3));
  EXPECT_THAT(after(EXP09_SHUFFLE_UP, lanes), ElementsAre(7, 7 + 1, 2 + 2, 3 + 3));
  EXPECT_THAT(after(EXP09_ROTATE, lanes), ElementsAre(2, 3 + 1, 9 + 2, 7 + 3));
  EXPECT_THAT(after(EXP09_BROADCAST, lanes), ElementsAre(7, 7 + 1, 7 + 2, 7 + 3));
  EXPECT_THAT(after(EXP09_BALLOT, lanes), ElementsAre(13, 13 + 1, 13 + 2, 13 + 3));
  EXPECT_THAT(after(EXP09_ALL, lanes), ElementsAre(8, 3 + 1, 4 + 2, 10 + 3));
  EXPECT_THAT(after(EXP09_ALL, {7, 31, 3, 9}), ElementsAre(7, 31 + 1, 3 + 2, 9 + 3));
  EXPECT_THAT(after(EXP09_ANY, lanes), ElementsAre(7, 2 + 1, 3 + 2, 9 + 3));
  EXPECT_THAT(after(EXP09_ANY, {7, 31, 3, 9}), ElementsAre(8, 32 + 1, 4 + 2, 10 + 3));
  EXPECT_THAT(after(EXP09_ADD, lanes), ElementsAre(21, 21 + 1, 21 + 2, 21 + 3));
  EXPECT_THAT(after(EXP09_MIN, lanes), ElementsAre(2, 2 + 1, 2 + 2, 2 + 3));
  // Bit l is lane l's own bit l: 1, 1, 0, 1.
  EXPECT_THAT(after(EXP09_AND, lanes), ElementsAre(~4U ^ 7U, (~4U ^ 2U) + 1, (~4U ^ 3U) + 2, (~4U ^ 9U) + 3));
  EXPECT_THAT(after(EXP09_EXCLUSIVE_ADD, lanes), ElementsAre(0, 7 + 1, 9 + 2, 12 + 3));
  EXPECT_THAT(after(EXP09_INCLUSIVE_ADD, lanes), ElementsAre(7, 9 + 1, 12 + 2, 21 + 3));
  EXPECT_THAT(after(EXP09_CLUSTERED_ADD, lanes), ElementsAre(21, 21 + 1, 21 + 2, 21 + 3));
}

TEST(SubgroupReference, LanesThatTakeNoPartKeepTheirs) {
  EXPECT_THAT(after(EXP09_ADD, {7, 2, 3, 9}, true), ElementsAre(10, 2, 10 + 2, 9));
  EXPECT_THAT(after(EXP09_BALLOT, {7, 2, 3, 9}, true), ElementsAre(5, 2, 5 + 2, 9));
}

// No two operations leave the same in every lane, but those that are the same by other means: a kernel that does another is
// found out.
TEST(SubgroupReference, TellsOperationsApart) {
  std::vector<std::vector<std::uint32_t>> seen;
  std::set<std::uint32_t> numbers;
  for (const Operation& operation : kOperations) {
    const std::string_view name = operation.name;
    if (name == "add_shuffles" || name == "quad_swap" || !numbers.insert(operation.number).second) continue;
    Config config;
    config.operation = &operation;
    config.small = true;
    const std::vector<std::uint32_t> found = results(config, 32, 12345);
    for (const auto& other : seen) EXPECT_NE(found, other) << operation.name;
    seen.push_back(found);
  }
}

// By the same name, but for what does it: tile_add is CUDA's add.
TEST(SubgroupReference, OfOperationsByCooperativeGroupsThePlainOnesAreTheCheck) {
  for (const Operation& operation : kOperations) {
    if (operation.set != "groups") continue;
    const std::string_view name = operation.name;
    const std::string_view plain = name.substr(name.find('_') + 1);
    const auto* found =
        std::find_if(std::begin(kOperations), std::end(kOperations), [&](const Operation& one) { return one.name == plain; });
    ASSERT_NE(found, std::end(kOperations)) << name;
    EXPECT_EQ(found->number, operation.number) << name;
  }
}

TEST(SubgroupReference, RefusesWhatItDoesNotKnow) { EXPECT_THROW(after(99, {1}), bench::Error); }

}  // namespace
