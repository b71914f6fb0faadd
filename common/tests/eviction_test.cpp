#include "core/timing/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/run/open_devices.h"
#include "fake_device.h"

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

// What a run says before its first cold case, of a device whose probe takes 1500 ns in the cache and so many after a sweep.
std::string said_of(double cuda_swept_ns, double vulkan_swept_ns, bool software = false) {
  const std::vector<DeviceInfo> of_cuda = {fake_gpu(cuda::kApi, 0, "NVIDIA H200", 0xaa)};
  std::vector<DeviceInfo> of_vulkan = {fake_gpu(vulkan::kApi, 0, "NVIDIA H200", 0xaa)};
  of_vulkan.front().is_cpu = software;
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<FakeBackend>(cuda::kApi, of_cuda, "", FakeBehaviour{.swept_probe_ns = cuda_swept_ns}));
  backends.push_back(
      std::make_unique<FakeBackend>(vulkan::kApi, of_vulkan, "", FakeBehaviour{.swept_probe_ns = vulkan_swept_ns}));
  OpenDevices devices(std::move(backends), select_devices(listing(of_cuda, of_vulkan), {}),
                      {{cuda::kApi, "none"}, {vulkan::kApi, "none"}}, {});
  testing::internal::CaptureStderr();
  devices.prepare_eviction(120U << 20);
  devices.prepare_eviction(120U << 20);  // of the second cold case: nothing is said twice
  return testing::internal::GetCapturedStderr();
}

TEST(Eviction, EachApisSweepIsTriedBeforeItsFirstColdCase) {
  using testing::HasSubstr;
  using testing::Not;
  EXPECT_EQ(said_of(4000, 4000), "");
  EXPECT_THAT(said_of(1500, 4000), testing::AllOf(testing::StartsWith("cuda: the sweep of 120 MiB"), Not(HasSubstr("vulkan"))));
  EXPECT_THAT(said_of(4000, 1500), testing::AllOf(testing::StartsWith("vulkan: the sweep of 120 MiB"), Not(HasSubstr("cuda"))));
  EXPECT_EQ(said_of(0, 0), "") << "a device without a probe tells nothing";
  EXPECT_EQ(said_of(4000, 1500, true), "") << "a software device has no L2";
}

}  // namespace
}  // namespace bench
