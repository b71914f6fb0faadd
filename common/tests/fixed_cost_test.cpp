#include "core/timing/fixed_cost.h"

#include <gtest/gtest.h>

#include "fake_device.h"

namespace bench {
namespace {

TEST(FixedCost, IsSharedByTheLaunchesOfASample) {
  const FixedCost cost = {.stamps_ns = 1300, .single_ns = 2300, .launch_ns = 900};
  EXPECT_EQ(cost.stamps_of(1), 1300);
  EXPECT_EQ(cost.stamps_of(100), 13);
  EXPECT_EQ(cost.of(1), 2300);
  EXPECT_DOUBLE_EQ(cost.of(10), (2300 + 9 * 900) / 10.0);
}

class MeasuredFixedCost : public testing::Test {
 protected:
  // Stamps take 500 ns on fakes.
  FakeDevice quick_{{}, {.launch_ns = 1000}};
  FakeDevice slow_{{}, {.launch_ns = 3000}};

  std::vector<FixedCost> measure(Cache cache) {
    const std::vector<Device*> devices = {&quick_, &slow_};
    return measure_fixed_costs(devices, cache);
  }
};

TEST_F(MeasuredFixedCost, OfAWarmBatchTellsStampsFromLaunches) {
  const std::vector<FixedCost> costs = measure(Cache::kWarm);
  ASSERT_EQ(costs.size(), 2U);
  for (const auto& [cost, launch_ns] : {std::pair{costs[0], 1000.0}, std::pair{costs[1], 3000.0}}) {
    EXPECT_EQ(cost.stamps_ns, 500);
    EXPECT_NEAR(cost.single_ns, 500 + launch_ns, 0.002 * launch_ns);
    EXPECT_NEAR(cost.launch_ns, launch_ns, 0.002 * launch_ns);
    EXPECT_NEAR(cost.of(1000), launch_ns + 0.5, 0.002 * launch_ns);
  }
}

TEST_F(MeasuredFixedCost, OfAColdSampleIsOneLaunchBehindAnEviction) {
  EXPECT_THROW(measure(Cache::kCold), Error) << "the evictors have no size";
  quick_.set_evict_bytes(64);
  slow_.set_evict_bytes(64);
  const std::vector<FixedCost> costs = measure(Cache::kCold);
  EXPECT_NEAR(costs[1].of(1), 3500, 6);
  EXPECT_EQ(costs[1].launch_ns, 0);
}

}  // namespace
}  // namespace bench
