// Cards that none of these results come from: what each would be given to do, against a plan made by hand from its data sheet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cards.h"
#include "core/base/error.h"
#include "core/device/capacity.h"
#include "core/device/selection.h"
#include "core/run/case_list.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

struct Wanted {
  const Card* card;
  std::uint64_t sweep_bytes;    // twice the caches
  std::uint64_t dram_bytes;     // four times
  std::uint32_t blocks_of_256;  // at once
  std::uint64_t three_buffers;  // bytes of each
  std::uint64_t seventeen;      // likewise
};

TEST(DevicesOfOthers, GetThePlanThatIsMadeByHand) {
  const Wanted table[] = {
      {&kRtx4090, 144 * kMi, 288 * kMi, 128 * 6, 2 * kGi, 512 * kMi},
      {&kRtx3060, 6 * kMi, 12 * kMi, 28 * 6, 1 * kGi, 256 * kMi},
      {&kLaptop, 64 * kMi, 128 * kMi, 24 * 6, 512 * kMi, 128 * kMi},
      {&kB200, 252 * kMi, 504 * kMi, 148 * 8, 2 * kGi, 2 * kGi},
      {&kGh200, 120 * kMi, 240 * kMi, 132 * 8, 2 * kGi, 2 * kGi},
      {&kRx7900, 512 * kMi, 512 * kMi, 96 * 4, 2 * kGi, 512 * kMi},
      {&kB580, 512 * kMi, 512 * kMi, 16 * 4, 1 * kGi, 256 * kMi},
      {&kApple, 512 * kMi, 512 * kMi, 16 * 4, 2 * kGi, 1 * kGi},
      {&kLavapipe, 2 * kMi, 4 * kMi, 4 * 4, 4 * kMi, 4 * kMi},
  };
  for (const Wanted& wanted : table) {
    SCOPED_TRACE(wanted.card->name);
    const Plan plan = plan_of(*wanted.card);
    EXPECT_EQ(plan.sweep_bytes, wanted.sweep_bytes);
    EXPECT_EQ(plan.dram_bytes, wanted.dram_bytes);
    EXPECT_EQ(plan.resident_blocks(256), wanted.blocks_of_256);
    EXPECT_EQ(4 * plan.largest(31, 4), wanted.three_buffers);
    EXPECT_EQ(4 * plan.largest(31, 4, 17), wanted.seventeen);
    // Both APIs' buffers, and both sweeps.
    EXPECT_LE(2 * 17 * 4 * plan.largest(26, 4, 17) + 2 * plan.sweep_bytes, wanted.card->memory_bytes);
    EXPECT_LE(2 * 3 * 4 * plan.largest(29, 4) + 2 * plan.sweep_bytes, wanted.card->memory_bytes);
    EXPECT_EQ(plan.caches_for(plan.l2_bytes / 2), std::vector{Cache::kWarm});
    EXPECT_EQ(plan.caches_for(12 * plan.largest(29, 4)), std::vector{Cache::kCold}) << "the largest size streams from memory";
  }
}

TEST(DevicesOfOthers, VulkanAloneKnowsTheCachesThatCudaShows) {
  for (const Card* card : {&kRtx4090, &kB200}) {
    EXPECT_EQ(plan_of(*card, false).sweep_bytes, 2 * card->l2_bytes) << card->name;
    EXPECT_EQ(plan_of(*card, false).resident_blocks(256), plan_of(*card).resident_blocks(256)) << card->name;
  }
}

TEST(DevicesOfOthers, WhatMemoryCutsShortIsSaid) {
  const Plan laptop = plan_of(kLaptop);
  laptop.largest(26, 4, 17);
  ASSERT_EQ(laptop.cuts->size(), 1U);
  EXPECT_EQ(*laptop.cuts->begin(),
            "sizes end at 33554432 elements of 4 bytes in place of 67108864: 17 buffers in each API, in 7940 MiB of memory");
  const Plan large = plan_of(kGh200);
  large.largest(26, 4, 17);
  EXPECT_TRUE(large.cuts->empty());
}

TEST(DevicesOfOthers, ACoarseSweepOfASmallMemoryHasSmallBuffers) {
  Options quick;
  quick.quick = true;
  EXPECT_EQ(plan_of(kTenth).max_buffer_bytes, kTenth.memory_bytes / 8);
  EXPECT_EQ(plan_of(kTenth, true, quick).max_buffer_bytes, 256 * kMi);
  EXPECT_EQ(plan_of(kH200, true, quick).max_buffer_bytes, plan_of(kH200).max_buffer_bytes);
  // What is to stream still does.
  for (const Card* card : kCards) {
    const Plan plan = plan_of(*card, true, quick);
    EXPECT_TRUE(plan.is_dram(plan.max_buffer_bytes) || plan.cpu) << card->name;
  }
}

// Like the one in the environment of a run that tries a smaller card.
class MemoryLimit : public testing::Test {
 protected:
  static void limit(const char* mib) { setenv("BENCH_MEMORY_LIMIT_MIB", mib, 1); }
  void TearDown() override { unsetenv("BENCH_MEMORY_LIMIT_MIB"); }
};

TEST_F(MemoryLimit, IsWhatEveryDeviceHasAndNoMore) {
  limit("64");
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(std::make_unique<FakeBackend>(vulkan::kApi, std::vector{kRx7900.info(vulkan::kApi)}, "", FakeBehaviour{}));
  EXPECT_EQ(list_devices(backends).devices(vulkan::kApi).front().memory_bytes, 64 * kMi);
  FakeDevice device;
  auto held = device.allocate(40 * kMi, "a");
  EXPECT_THAT(message_of<OutOfMemory>([&] { device.allocate(25 * kMi, "b"); }),
              HasSubstr("BENCH_MEMORY_LIMIT_MIB allows 64 MiB"));
  held.reset();
  EXPECT_NO_THROW(device.allocate(64 * kMi, "c"));
}

TEST_F(MemoryLimit, IsAWholeNumberOfMebibytes) {
  for (const char* wrong : {"0", "-1", "8GiB", "1.5", " 4", "99999999999999999999"}) {
    limit(wrong);
    EXPECT_THROW(memory_limit(), UsageError) << wrong;
  }
  limit("");
  EXPECT_EQ(memory_limit(), ~std::uint64_t{0});
}

TEST(Choice, DiscreteBeforeIntegratedBeforeSoftware) {
  const std::vector<DeviceInfo> all = {kLavapipe.info(vulkan::kApi, 0), kApple.info(vulkan::kApi, 1),
                                       kB580.info(vulkan::kApi, 2)};
  const auto chosen_of = [](const std::vector<DeviceInfo>& devices) {
    return select_devices(listing({}, devices), {}).devices.at(vulkan::kApi).index;
  };
  EXPECT_EQ(chosen_of(all), 2);
  EXPECT_EQ(describe_choice(listing({}, all), select_devices(listing({}, all), {})),
            "runs on Intel(R) Arc(tm) B580 Graphics (BMG G21) (vulkan 2); --device chooses among it and llvmpipe (LLVM 15.0.6, "
            "256 bits) (vulkan 0), Apple M3 Max (vulkan 1)");
  EXPECT_EQ(chosen_of({all[0], all[1]}), 1);
  EXPECT_EQ(chosen_of({all[0]}), 0);
}

TEST(Choice, OneGpuOfBothApisIsNoOther) {
  const DeviceList listed = listing({kLaptop.info(cuda::kApi)}, {kApple.info(vulkan::kApi, 0), kLaptop.info(vulkan::kApi, 1)});
  const Selection chosen = select_devices(listed, {});
  EXPECT_EQ(chosen.devices.at(vulkan::kApi).index, 1);
  EXPECT_THAT(describe_choice(listed, chosen), testing::EndsWith("--device chooses among it and Apple M3 Max (vulkan 0)"));
  EXPECT_EQ(describe_choice(listing({kLaptop.info(cuda::kApi)}, {kLaptop.info(vulkan::kApi, 1)}), chosen), "");
}

}  // namespace
}  // namespace bench
