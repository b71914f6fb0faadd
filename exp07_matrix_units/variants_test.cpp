// The ladder's kernels: which runs have all of them.
#include "variants.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace {

// What tells a kernel of one API from every other: its stem and entry point, and GLSL's constants.
std::set<std::pair<std::string, std::vector<std::uint32_t>>> kernels_of(const bench::Plan& plan) {
  std::set<std::pair<std::string, std::vector<std::uint32_t>>> kernels;
  for (const Shape& shape : shapes(plan)) kernels.emplace(shape.entry(), shape.constants());
  return kernels;
}

bench::Plan plan_with(std::initializer_list<bool bench::Plan::*> flags) {
  bench::Plan plan;
  for (const auto flag : flags) plan.*flag = true;
  return plan;
}

// --dump-isa takes its cases from a smoke run's plan: see make_plan().
TEST(Shapes, ASmokeRunHasEveryKernelThatAFullRunTimes) {
  const auto full = kernels_of(plan_with({}));
  EXPECT_EQ(kernels_of(plan_with({&bench::Plan::smoke})), full);
  EXPECT_TRUE(full.contains({"product_tile_f16_f32_128_128_64_2_4", {128, 128, 64, 2, 4, 0}}));
  EXPECT_TRUE(full.contains({"product_workgroup_f16_f32_128_128_64_0_0", {128, 128, 64, 0}}));
}

TEST(Shapes, ACoarseSweepAndASoftwareDeviceHaveTheFirstOfEveryKind) {
  EXPECT_EQ(kernels_of(plan_with({&bench::Plan::quick})).size(), kernels_of(plan_with({&bench::Plan::cpu})).size());
  EXPECT_LT(kernels_of(plan_with({&bench::Plan::quick})).size(), kernels_of(plan_with({})).size());
  EXPECT_LT(kernels_of(plan_with({&bench::Plan::cpu, &bench::Plan::smoke})).size(), kernels_of(plan_with({})).size());
}

TEST(Shapes, ASizedKernelOfCudaHasItsSizeInItsNameAndRoomForBothTiles) {
  for (Shape shape : shapes({})) {
    if (!shape.variant.starts_with("product_walk") || shape.implementation == Implementation::kVulkan) continue;
    SCOPED_TRACE(shape.entry());
    shape.size = 8192;
    EXPECT_TRUE(shape.entry().ends_with("_8192"));
    const std::uint32_t tiles = shape.rows * (shape.depth + 8) + shape.depth * (shape.columns + 8);
    EXPECT_EQ(shape.shared_bytes(), 2 * tiles * (shape.variant.starts_with("product_walk_double") ? 2 : 1));
    if (shape.implementation == Implementation::kTwins) {
      EXPECT_LE(shape.shared_bytes(), 48U << 10);
    }
  }
}

TEST(MatrixUnits, OtherSubgroupsThanOf32AreSkipped) {
  bench::DeviceInfo device;
  device.subgroup_size = 32;
  EXPECT_NO_THROW(want_subgroups(device));
  device.subgroup_size = 64;
  EXPECT_THROW(want_subgroups(device), bench::Skip);
}

}  // namespace
