// The search space: no shape twice, none that a kernel could not run, and what was found to be the fastest is in it.
#include "space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

TEST(SearchSpace, HoldsNoShapeTwice) {
  std::set<std::tuple<std::string, std::uint32_t, std::vector<std::uint32_t>>> seen;
  for (const Shape& shape : search_space()) {
    EXPECT_TRUE(seen.emplace(shape.stem, shape.block(), shape.constants()).second) << shape.stem << " " << shape.tile();
  }
}

TEST(SearchSpace, AnInvocationCopiesWholeVectorsAndHoldsItsSums) {
  for (const Shape& shape : search_space()) {
    SCOPED_TRACE(shape.stem + " " + shape.tile() + " " + shape.warps());
    EXPECT_LE(shape.rows * shape.columns * bytes_of(shape.sums) / 4 / shape.block(), 256U);
    if (shape.down == 0) continue;
    const std::uint32_t vectors = shape.depth * bytes_of(shape.in) / 16;  // in a row of A's tile
    EXPECT_EQ(shape.rows * vectors % shape.block(), 0U);
    EXPECT_EQ(shape.columns * vectors % shape.block(), 0U);
    EXPECT_EQ(shape.rows % (16 * shape.down), 0U);
    EXPECT_EQ(shape.columns % (16 * shape.across), 0U);
  }
}

TEST(SearchSpace, HasEveryTypeLayoutAndKindOfStore) {
  std::set<std::string> stems;
  for (const Shape& shape : search_space()) stems.insert(shape.stem);
  for (const char* types : {"f16_f32", "f16_f16", "bf16_f32", "s8_s32"}) {
    for (const char* kernel : {"product_workgroup", "product_tile", "product_staged"}) {
      EXPECT_TRUE(stems.contains(std::string(kernel) + "_" + types)) << kernel << types;
      EXPECT_TRUE(stems.contains(std::string(kernel) + "_rows_" + types)) << kernel << types;
    }
  }
}

}  // namespace
