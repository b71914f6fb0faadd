#include "core/device/kernel_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "fake_device.h"

namespace bench {
namespace {

CudaImage cubin(int major, int minor, bool arch_specific = false) { return {major, minor, arch_specific, false, {}}; }
CudaImage ptx(int major, int minor) { return {major, minor, false, true, {}}; }

// "sm_90a", "ptx_80", or "none".
std::string chosen(const std::vector<CudaImage>& images, int major, int minor) {
  const CudaImage* image = choose_image(images, major, minor);
  if (image == nullptr) return "none";
  return fmt::format("{}_{}{}{}", image->is_ptx ? "ptx" : "sm", image->major, image->minor, image->arch_specific ? "a" : "");
}

TEST(ChooseImage, PrefersTheClosestCubin) {
  const std::vector<CudaImage> images = {ptx(8, 0), cubin(8, 0), cubin(8, 6), cubin(9, 0), cubin(9, 0, true)};
  EXPECT_EQ(chosen(images, 9, 0), "sm_90a");
  EXPECT_EQ(chosen(images, 8, 0), "sm_80") << "a cubin for 8.6 does not run on 8.0";
  EXPECT_EQ(chosen(images, 8, 6), "sm_86");
  EXPECT_EQ(chosen(images, 8, 9), "sm_86") << "cubins run on a later minor version";
  EXPECT_EQ(chosen(images, 8, 7), "sm_86");
}

TEST(ChooseImage, OrderOfTheListDoesNotMatter) {
  const std::vector<CudaImage> images = {cubin(9, 0, true), cubin(9, 0), cubin(8, 6), cubin(8, 0), ptx(8, 0)};
  EXPECT_EQ(chosen(images, 9, 0), "sm_90a");
  EXPECT_EQ(chosen(images, 8, 9), "sm_86");
}

TEST(ChooseImage, ArchSpecificRunsOnItsOwnGpuOnly) {
  EXPECT_EQ(chosen({cubin(9, 0, true)}, 10, 0), "none");
  EXPECT_EQ(chosen({cubin(10, 0, true)}, 10, 3), "none");
  EXPECT_EQ(chosen({cubin(9, 0, true), ptx(8, 0)}, 10, 0), "ptx_80");
}

TEST(ChooseImage, FallsBackToTheNewestPtxThatIsNotTooNew) {
  const std::vector<CudaImage> images = {ptx(8, 0), ptx(9, 0), ptx(12, 0), cubin(8, 6)};
  EXPECT_EQ(chosen(images, 10, 0), "ptx_90");
  EXPECT_EQ(chosen(images, 12, 1), "ptx_120");
  EXPECT_EQ(chosen(images, 8, 0), "ptx_80");
  EXPECT_EQ(chosen(images, 8, 6), "sm_86") << "any cubin that fits goes before PTX";
}

TEST(ChooseImage, NothingFits) {
  EXPECT_EQ(chosen({}, 9, 0), "none");
  EXPECT_EQ(chosen({cubin(8, 6), ptx(8, 0)}, 7, 5), "none");
  EXPECT_EQ(chosen({cubin(8, 0)}, 9, 0), "none") << "cubins do not cross a major version";
}

TEST(FindKernel, FindsByStemOrListsTheStems) {
  const KernelImages images[] = {{"add_f32", {}, {}}, {"copy_f32", {}, {}}};
  EXPECT_EQ(&find_kernel(images, "copy_f32"), &images[1]);
  const std::string message = message_of<Error>([&] { find_kernel(images, "copy"); });
  EXPECT_THAT(message, testing::HasSubstr("no kernel called copy "));
  EXPECT_THAT(message, testing::HasSubstr("add_f32, copy_f32"));
}

TEST(Api, IsSpelledAsInTheCsv) {
  EXPECT_EQ(to_string(cuda::kApi), "cuda");
  EXPECT_EQ(to_string(vulkan::kApi), "vulkan");
}

}  // namespace
}  // namespace bench
