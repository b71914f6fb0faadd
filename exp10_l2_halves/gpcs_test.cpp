// SMs that a cluster joined are one GPC's.
#include "gpcs.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace {

using Ids = std::vector<std::uint32_t>;

TEST(Gpcs, WhatNoClusterJoinsIsAlone) { EXPECT_EQ(gpcs_of({}, 3), (Ids{0, 1, 2})); }

TEST(Gpcs, ClustersThatShareAnSmAreOneSet) {
  EXPECT_EQ(gpcs_of({{0, 2}, {5, 3}, {2, 4}, {1, 1}}, 6), (Ids{0, 1, 0, 2, 0, 2})) << "0 2 4, 1, and 3 5";
  EXPECT_EQ(gpcs_of({{3, 1}, {2, 0}, {1, 2}}, 4), (Ids{0, 0, 0, 0})) << "joined at last";
}

TEST(Gpcs, AnSmThatTheGpuHasNotIsAnError) { EXPECT_THROW(gpcs_of({{0, 4}}, 4), bench::Error); }

}  // namespace
