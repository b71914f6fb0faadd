#include "core/device/nvml.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

// The values of nvml.h's nvmlClocksThrottleReason*.
constexpr std::uint64_t kGpuIdle = 0x1;
constexpr std::uint64_t kApplicationsClocks = 0x2;
constexpr std::uint64_t kSwPowerCap = 0x4;
constexpr std::uint64_t kHwSlowdown = 0x8;
constexpr std::uint64_t kSyncBoost = 0x10;
constexpr std::uint64_t kSwThermal = 0x20;
constexpr std::uint64_t kHwThermal = 0x40;
constexpr std::uint64_t kHwPowerBrake = 0x80;

TEST(Nvml, CountsSlowdownsAsThrottling) {
  for (const std::uint64_t reason : {kHwSlowdown, kSwThermal, kHwThermal, kHwPowerBrake}) {
    EXPECT_TRUE(is_throttled(reason)) << reason;
    EXPECT_TRUE(is_throttled(reason | kSwPowerCap)) << reason;
  }
}

TEST(Nvml, DoesNotCountNormalManagement) {
  for (const std::uint64_t reason : {std::uint64_t{0}, kGpuIdle, kApplicationsClocks, kSwPowerCap, kSyncBoost}) {
    EXPECT_FALSE(is_throttled(reason)) << reason;
  }
}

TEST(Nvml, MissingLibraryGivesNothing) {
  const Nvml nvml(Uuid{}, "libbench-no-such-library.so.1");
  EXPECT_EQ(nvml.handle(), nullptr);
  EXPECT_FALSE(nvml.driver_version());
  EXPECT_FALSE(nvml.sm_clock_mhz());
  EXPECT_FALSE(nvml.nvlinks());
  EXPECT_FALSE(nvml.power_w());
  EXPECT_FALSE(nvml.throttle_reasons());
}

TEST(Nvml, LibraryWithoutItsFunctionsGivesNothing) {
  const Nvml nvml(Uuid{}, "libc.so.6");
  EXPECT_EQ(nvml.handle(), nullptr);
  EXPECT_FALSE(nvml.driver_version());
}

// A library without field values, as older ones: the average then.
TEST(Nvml, ReadsPower) {
  const Nvml nvml(Uuid{}, BENCH_HOT_NVML);
  ASSERT_TRUE(nvml.power_w());
  EXPECT_EQ(*nvml.power_w(), 412.5);
}

// With or without a driver: no GPU has the all-zero UUID.
TEST(Nvml, UnknownGpuGivesNoClock) {
  const Nvml nvml(Uuid{});
  EXPECT_EQ(nvml.handle(), nullptr);
  EXPECT_FALSE(nvml.sm_clock_mhz());
  EXPECT_FALSE(nvml.throttle_reasons());
}

}  // namespace
}  // namespace bench
