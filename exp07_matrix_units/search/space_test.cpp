// The search space: no shape twice, none that a kernel could not run, and what was found to be the fastest is in it.
#include "space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

std::vector<Shape> all_types() {
  std::vector<Shape> list;
  for (const Types& types : kSearchedTypes) {
    for (Shape& shape : search_space({.types = types})) list.push_back(std::move(shape));
  }
  return list;
}

void expect_runs(const Shape& shape) {
  SCOPED_TRACE(name_of(shape));
  EXPECT_LE(shape.rows * shape.columns * bytes_of(shape.sums) / 4 / shape.block(), 256U);
  if (shape.down == 0) return;
  const std::uint32_t vectors = shape.depth * bytes_of(shape.in) / 16;  // in a row of A's tile
  EXPECT_EQ(shape.rows * vectors % shape.block(), 0U);
  EXPECT_EQ(shape.columns * vectors % shape.block(), 0U);
  EXPECT_EQ(shape.rows % (shape.matrix_rows * shape.down), 0U);
  EXPECT_EQ(shape.columns % (shape.matrix_columns * shape.across), 0U);
}

TEST(SearchSpace, HoldsNoShapeTwice) {
  std::set<std::string> seen;
  for (const Shape& shape : all_types()) EXPECT_TRUE(seen.insert(name_of(shape)).second) << name_of(shape);
}

TEST(SearchSpace, AnInvocationCopiesWholeVectorsAndHoldsItsSums) {
  for (const Shape& shape : all_types()) expect_runs(shape);
}

TEST(SearchSpace, TwoTilesInTurnFitSharedMemoryAndAreCopiedByWholeRows) {
  bool has_256_by_256 = false;
  for (const Shape& shape : all_types()) {
    if (!shape.variant.starts_with("product_walk_double")) continue;
    SCOPED_TRACE(name_of(shape));
    const std::uint32_t vector = 16 / bytes_of(shape.in);
    const std::uint32_t row_a = shape.depth / vector;
    const std::uint32_t row_b = shape.b == Layout::kByRows ? shape.columns / vector : row_a;
    const std::uint32_t rows_b = shape.b == Layout::kByRows ? shape.depth : shape.columns;
    EXPECT_LE(2 * (shape.rows * (row_a + 1) + rows_b * (row_b + 1)) * 16, 48U << 10);
    EXPECT_EQ(shape.block() % row_a, 0U);
    EXPECT_EQ(shape.block() % row_b, 0U);
    EXPECT_EQ(shape.size / shape.depth % 2, 0U);
    has_256_by_256 = has_256_by_256 || (shape.rows == 256 && shape.columns == 256);
  }
  EXPECT_TRUE(has_256_by_256);
}

TEST(SearchSpace, HasEveryTypeLayoutAndKindOfStore) {
  std::set<std::string> stems;
  for (const Shape& shape : all_types()) stems.insert(shape.stem);
  for (const char* types : {"f16_f32", "f16_f16", "bf16_f32", "s8_s32"}) {
    for (const char* kernel :
         {"product_workgroup", "product_ahead", "product_tile", "product_staged", "product_walk", "product_walk_double"}) {
      for (const char* b : {"", "_rows"})
        EXPECT_TRUE(stems.contains(std::string(kernel) + b + "_sized_" + types)) << kernel << types;
    }
  }
}

TEST(SearchSpace, BeginsWithWhatWasFoundToBeTheFastest) {
  for (Shape own : shapes({})) {
    if (!was_found(own.variant) || own.implementation == Implementation::kCuda) continue;
    const SearchGround ground = {.types = {own.in, own.sums}};
    if (own.sized) own.size = ground.size;
    const std::vector<Shape> space = search_space(ground);
    const auto at = std::ranges::find_if(space, [&](const Shape& shape) {
      return shape.stem == own.stem && shape.constants() == own.constants() && shape.block() == own.block();
    });
    ASSERT_NE(at, space.end()) << own.stem << own.tile();
    EXPECT_LT(at - space.begin(), 30);
  }
}

TEST(SearchSpace, ChangesDifferInOneThingAndRun) {
  for (const Types& types : kSearchedTypes) {
    const SearchGround ground = {.types = types};
    const std::vector<Shape> space = search_space(ground);
    for (std::size_t i = 0; i < space.size(); i += 17) {
      std::set<std::string> names = {name_of(space[i])};
      for (const Shape& change : changes_of(space[i], ground)) {
        expect_runs(change);
        names.insert(name_of(change));
      }
      EXPECT_GT(names.size(), 4U) << name_of(space[i]);
    }
  }
}

TEST(SearchSpace, OnlySizedKernelsKnowTheSize) {
  for (const Shape& shape : all_types()) EXPECT_EQ(shape.size, shape.sized ? 8192U : 0U);
}

}  // namespace
