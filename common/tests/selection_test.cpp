#include "core/device/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

const DeviceInfo kCudaA = fake_gpu(Api::kCuda, 0, "NVIDIA H200", 0xaa);
const DeviceInfo kCudaB = fake_gpu(Api::kCuda, 1, "NVIDIA A100", 0xbb);
// Vulkan's own order: the other way round, after a software device.
const DeviceInfo kLavapipe = fake_lavapipe(0);
const DeviceInfo kVulkanB = fake_gpu(Api::kVulkan, 1, "NVIDIA A100", 0xbb);
const DeviceInfo kVulkanA = fake_gpu(Api::kVulkan, 2, "NVIDIA H200", 0xaa);

const std::vector<DeviceInfo> kCuda = {kCudaA, kCudaB};
const std::vector<DeviceInfo> kVulkan = {kLavapipe, kVulkanB, kVulkanA};

// "cuda index/vulkan index", '-' for none.
std::string picks(const Selection& selection) {
  return (selection.cuda ? std::to_string(selection.cuda->index) : "-") + "/" +
         (selection.vulkan ? std::to_string(selection.vulkan->index) : "-");
}
std::string picks(const std::string& wish) { return picks(select_devices(kCuda, kVulkan, {true, true, wish})); }

TEST(Selection, PairsByUuid) {
  const Selection selection = select_devices(kCuda, kVulkan, {});
  EXPECT_EQ(picks(selection), "0/2");
  EXPECT_EQ(selection.cuda->uuid, selection.vulkan->uuid);
  EXPECT_EQ(selection.unpaired_reason, "");
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
  EXPECT_EQ(picks(select_devices(kCuda, kVulkan, {true, false, ""})), "0/-");
  EXPECT_EQ(picks(select_devices(kCuda, kVulkan, {false, true, ""})), "-/1") << "the first GPU, before the software device";
  EXPECT_EQ(picks(select_devices(kCuda, kVulkan, {false, true, "0"})), "-/0") << "without CUDA an index is Vulkan's";
  EXPECT_EQ(picks(select_devices(kCuda, kVulkan, {false, true, "GPU-aaaa"})), "-/2");
  EXPECT_EQ(select_devices(kCuda, kVulkan, {true, false, ""}).unpaired_reason, "") << "nothing was to be paired";
  EXPECT_EQ(picks(select_devices({}, kVulkan, {true, true, "2"})), "-/2");
}

TEST(Selection, AnotherVulkanDeviceIsUnpaired) {
  const Selection other_gpu = select_devices({kCudaA}, {kLavapipe, kVulkanB}, {});
  EXPECT_EQ(picks(other_gpu), "0/1") << "a GPU before a software device";
  EXPECT_THAT(other_gpu.unpaired_reason,
              testing::AllOf(HasSubstr("unpaired"), HasSubstr("NVIDIA H200"), HasSubstr("NVIDIA A100"), HasSubstr("driver")));
  const Selection lavapipe = select_devices({kCudaA}, {kLavapipe}, {});
  EXPECT_EQ(picks(lavapipe), "0/0");
  EXPECT_THAT(lavapipe.unpaired_reason, testing::AllOf(HasSubstr("llvmpipe"), HasSubstr("NVIDIA_DRIVER_CAPABILITIES=all")));
}

TEST(Selection, NoUuidNeverPairs) {
  DeviceInfo cuda = kCudaA;
  DeviceInfo vulkan = kVulkanA;
  cuda.uuid.reset();
  vulkan.uuid.reset();
  EXPECT_THAT(select_devices({cuda}, {vulkan}, {}).unpaired_reason, HasSubstr("unpaired"));
}

TEST(Selection, NoDevices) {
  EXPECT_EQ(picks(select_devices({}, {}, {})), "-/-");
  EXPECT_EQ(picks(select_devices({}, {kLavapipe}, {})), "-/0");
  EXPECT_EQ(picks(select_devices({kCudaA}, {}, {})), "0/-");
}

TEST(Selection, AWishThatMatchesNothingListsTheDevices) {
  for (const std::string wish : {"7", "2", "gtx", "GPU-cccc", "cccccccc"}) {
    const std::string message = message_of<UsageError>([&] { select_devices(kCuda, kVulkan, {true, true, wish}); });
    EXPECT_THAT(message, testing::AllOf(HasSubstr("--device " + wish), HasSubstr("NVIDIA H200"), HasSubstr("llvmpipe")));
  }
  EXPECT_THAT(message_of<UsageError>([] { select_devices({}, {}, {true, true, "0"}); }), HasSubstr("(none)"));
}

TEST(Selection, DescribesEachPhysicalDeviceOnce) {
  EXPECT_EQ(describe_devices(kCuda, kVulkan),
            "cuda    vulkan  uuid                                  name\n"
            "0       2       aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa  NVIDIA H200\n"
            "1       1       bbbbbbbb-bbbb-bbbb-bbbb-bbbbbbbbbbbb  NVIDIA A100\n"
            "-       0       11111111-1111-1111-1111-111111111111  llvmpipe (LLVM 15.0.6, 256 bits)\n");
}

}  // namespace
}  // namespace bench
