#include "core/device/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

const DeviceInfo kCudaA = fake_gpu(cuda::kApi, 0, "NVIDIA H200", 0xaa);
const DeviceInfo kCudaB = fake_gpu(cuda::kApi, 1, "NVIDIA A100", 0xbb);
// Vulkan's own order: the other way round, after a software device.
const DeviceInfo kLavapipe = fake_lavapipe(0);
const DeviceInfo kVulkanB = fake_gpu(vulkan::kApi, 1, "NVIDIA A100", 0xbb);
const DeviceInfo kVulkanA = fake_gpu(vulkan::kApi, 2, "NVIDIA H200", 0xaa);

const std::vector<DeviceInfo> kCuda = {kCudaA, kCudaB};
const std::vector<DeviceInfo> kVulkan = {kLavapipe, kVulkanB, kVulkanA};

// "cuda index/vulkan index", '-' for none.
std::string unpaired_reason(const Selection& selection) {
  return selection.unpaired.empty() ? "" : selection.unpaired.at(vulkan::kApi);
}

std::string picks(const Selection& selection) {
  const auto index = [&](const Api& api) {
    return selection.devices.contains(api) ? std::to_string(selection.devices.at(api).index) : "-";
  };
  return index(cuda::kApi) + "/" + index(vulkan::kApi);
}
std::string picks(const std::string& wish) { return picks(select_devices(listing(kCuda, kVulkan), {"both", wish})); }

TEST(Selection, PairsByUuid) {
  const Selection selection = select_devices(listing(kCuda, kVulkan), {});
  EXPECT_EQ(picks(selection), "0/2");
  EXPECT_EQ(selection.devices.at(cuda::kApi).uuid, selection.devices.at(vulkan::kApi).uuid);
  EXPECT_EQ(unpaired_reason(selection), "");
}

TEST(Selection, WishNamesTheGpuOnce) {
  EXPECT_EQ(picks("1"), "1/1") << "CUDA's index";
  EXPECT_EQ(picks("bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb"), "1/1");
  EXPECT_EQ(picks("GPU-bbbbbbbb-bbbb"), "1/1");
  EXPECT_EQ(picks("BBBB"), "1/1");
  EXPECT_EQ(picks("a100"), "1/1");
  EXPECT_EQ(picks("nvidia"), "0/2") << "the first that matches";
  EXPECT_EQ(picks("llvmpipe"), "-/0") << "a device that only Vulkan has";
}

TEST(Selection, OneApiAlone) {
  EXPECT_EQ(picks(select_devices(listing(kCuda, kVulkan), {"cuda", ""})), "0/-");
  EXPECT_EQ(picks(select_devices(listing(kCuda, kVulkan), {"vulkan", ""})), "-/1")
      << "the first GPU, before the software device";
  EXPECT_EQ(picks(select_devices(listing(kCuda, kVulkan), {"vulkan", "0"})), "-/0") << "without CUDA an index is Vulkan's";
  EXPECT_EQ(picks(select_devices(listing(kCuda, kVulkan), {"vulkan", "GPU-aaaa"})), "-/2");
  EXPECT_EQ(unpaired_reason(select_devices(listing(kCuda, kVulkan), {"cuda", ""})), "") << "nothing was to be paired";
  EXPECT_EQ(picks(select_devices(listing({}, kVulkan), {"both", "2"})), "-/2");
}

TEST(Selection, AnotherVulkanDeviceIsUnpaired) {
  const Selection other_gpu = select_devices(listing({kCudaA}, {kLavapipe, kVulkanB}), {});
  EXPECT_EQ(picks(other_gpu), "0/1") << "a GPU before a software device";
  EXPECT_THAT(unpaired_reason(other_gpu),
              testing::AllOf(HasSubstr("unpaired"), HasSubstr("NVIDIA H200"), HasSubstr("NVIDIA A100"), HasSubstr("driver")));
  const Selection lavapipe = select_devices(listing({kCudaA}, {kLavapipe}), {});
  EXPECT_EQ(picks(lavapipe), "0/0");
  EXPECT_THAT(unpaired_reason(lavapipe), testing::AllOf(HasSubstr("llvmpipe"), HasSubstr("install its driver")));
}

TEST(Selection, NoUuidNeverPairs) {
  DeviceInfo of_cuda = kCudaA;
  DeviceInfo of_vulkan = kVulkanA;
  of_cuda.uuid.reset();
  of_vulkan.uuid.reset();
  EXPECT_THAT(unpaired_reason(select_devices(listing({of_cuda}, {of_vulkan}), {})), HasSubstr("unpaired"));
}

TEST(Selection, TwoSoftwareDevicesAreOneHost) {
  DeviceInfo other = kLavapipe;
  other.api = {.csv = "cpu", .name = "the CPU reference", .order = 2};
  other.uuid.reset();
  DeviceList listed = listing({}, {kVulkanB, kLavapipe});
  listed.of[other.api] = {{other}, "", ""};
  const Selection on_cpu = select_devices(listed, {"both", "llvmpipe"});
  EXPECT_EQ(on_cpu.devices.size(), 2U);
  EXPECT_TRUE(on_cpu.unpaired.empty());
  const Selection on_gpu = select_devices(listed, {});
  EXPECT_THAT(on_gpu.unpaired.at(other.api), HasSubstr("Vulkan runs on NVIDIA A100, but the closest the CPU reference device"));
}

// A native driver and a translation layer, in either order.
TEST(Selection, ANativeDriverComesBeforeATranslationLayer) {
  DeviceInfo translated = fake_gpu(vulkan::kApi, 0, "Microsoft Direct3D12 (NVIDIA H200)", 0xaa);
  translated.is_translated = true;
  DeviceInfo native = kVulkanA;
  native.index = 1;
  for (const bool native_first : {false, true}) {
    std::vector<DeviceInfo> both = {translated, native};
    if (native_first) {
      std::swap(both[0], both[1]);
      std::swap(both[0].index, both[1].index);
    }
    const std::string at = native_first ? "0" : "1";
    for (const DeviceList& listed : {listing({kCudaA}, both), listing({}, both)}) {
      for (const std::string wish : {"", "GPU-aaaa"}) {
        const Selection selection = select_devices(listed, {"both", wish});
        EXPECT_EQ(std::to_string(selection.devices.at(vulkan::kApi).index), at);
        EXPECT_THAT(describe_choice(listed, selection),
                    testing::AllOf(HasSubstr("NVIDIA H200 (vulkan " + at + ")"), HasSubstr(", a translation layer)")));
      }
    }
    EXPECT_TRUE(select_devices(listing({}, both), {"both", native_first ? "1" : "0"}).named()->is_translated) << "by its index";
  }
  EXPECT_TRUE(select_devices(listing({}, {kLavapipe, translated}), {}).named()->is_translated) << "before a software device";
}

TEST(Selection, ARunHasTwoApis) {
  DeviceInfo third = kCudaA;
  third.api = {.csv = "third", .name = "a third", .order = 2};
  DeviceList listed = listing({kCudaA}, {kVulkanA});
  listed.of[third.api] = {{third}, "", ""};
  EXPECT_EQ(picks(select_devices(listed, {})), "0/2");
  EXPECT_FALSE(select_devices(listed, {}).devices.contains(third.api));
  EXPECT_EQ(select_devices(listed, {"third", ""}).named()->api, third.api);
  EXPECT_EQ(why_left_out(listed, {}).at(third.api), "no third device was chosen");
}

TEST(Selection, NoDevices) {
  EXPECT_EQ(picks(select_devices(listing({}, {}), {})), "-/-");
  EXPECT_EQ(picks(select_devices(listing({}, {kLavapipe}), {})), "-/0");
  EXPECT_EQ(picks(select_devices(listing({kCudaA}, {}), {})), "0/-");
}

TEST(Selection, AWishThatMatchesNothingListsTheDevices) {
  for (const std::string wish : {"7", "2", "gtx", "GPU-cccc", "cccccccc"}) {
    const std::string message = message_of<UsageError>([&] { select_devices(listing(kCuda, kVulkan), {"both", wish}); });
    EXPECT_THAT(message, testing::AllOf(HasSubstr("--device " + wish), HasSubstr("NVIDIA H200"), HasSubstr("llvmpipe")));
  }
  EXPECT_THAT(message_of<UsageError>([] { select_devices(listing({}, {}), {"both", "0"}); }), HasSubstr("(none)"));
}

TEST(Selection, DescribesEachPhysicalDeviceOnce) {
  EXPECT_EQ(describe_devices(listing(kCuda, kVulkan)),
            "cuda    vulkan  uuid                                  name\n"
            "0       2       aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa  NVIDIA H200\n"
            "1       1       bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb  NVIDIA A100\n"
            "-       0       11111111-1111-1111-1111-111111111111  llvmpipe (LLVM 15.0.6, 256 bits) (software)\n");
}

}  // namespace
}  // namespace bench
