#include "core/timing/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

class Chain final : public Subject {
 public:
  Chain(double cached_ns, double swept_ns) : cached_ns_(cached_ns), swept_ns_(swept_ns) {}
  DeviceTime time_device(const DeviceSampleSpec& spec) override { return {100 * (spec.evict_l2 ? swept_ns_ : cached_ns_)}; }
  HostTimes time_host(std::uint32_t) override { return {}; }

 private:
  double cached_ns_;
  double swept_ns_;
};

std::string doubt(double cached_ns, double swept_ns) {
  Chain chain(cached_ns, swept_ns);
  return eviction_doubt(chain, 100, 120U << 20);
}

TEST(Eviction, ASweepThatSlowsTheLoadsIsBelieved) { EXPECT_EQ(doubt(140, 400), ""); }

TEST(Eviction, ASweepThatLeavesThemInTheCacheIsDoubted) {
  EXPECT_THAT(doubt(140, 141),
              testing::AllOf(testing::HasSubstr("120 MiB"), testing::HasSubstr("takes 141 ns after it and 140 ns"),
                             testing::HasSubstr("cold rows may be warm")));
  EXPECT_NE(doubt(140, 170), "") << "a part of it was evicted";
}

}  // namespace
}  // namespace bench
