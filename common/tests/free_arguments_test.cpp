// Kernels that follow none of the suite's conventions: VulkanLaunch::interface.
#include <algorithm>
#include <bit>

#include "core/experiment/workbench.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/capabilities.h"
#include "vulkan_fixture.h"
#include "vulkan_test_kernels.h"

namespace bench::vulkan {
namespace {

constexpr std::uint32_t kInt64 = 11;
constexpr std::uint32_t kCount = 2 * 3 * 4 * 5;  // a block of 2 x 3 x 4, five of them in y

class FreeArguments : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (IsSkipped()) return;
    in_ = device().allocate(kCount * 4, "in");
    bias_ = device().allocate(16, "bias");
    out_ = device().allocate(kCount * 8, "out");
    std::vector<std::uint32_t> words(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) words[i] = 7 * i + 1;
    device().upload(*in_, 0, std::as_bytes(std::span(words)));
    const std::vector<std::uint32_t> bias = {100, 200, 300, 400};
    device().upload(*bias_, 0, std::as_bytes(std::span(bias)));
    device().fill(*out_, 0, out_->bytes(), 0);
  }
  VulkanChoice choice() const override { return {.capabilities = {kInt64}}; }

  static VulkanInterface::Constant constant(std::uint32_t id, auto value) { return {id, bytes_of(value)}; }
  static KernelSpec spec() {
    return {.images = &find_kernel(kernels::vulkan_test(), "free_arguments"),
            .entry = "main",
            .block_x = 2,
            .block_y = 3,
            .block_z = 4,
            .buffers = 3,
            .params_bytes = 24,
            .addresses = {{.offset = 16, .buffer = 0}},
            .vulkan = {.interface = VulkanInterface{.descriptors = {{.set = 3, .binding = 7, .buffer = 1, .is_uniform = true},
                                                                    {.set = 1, .binding = 3, .buffer = 2}},
                                                    .constants = {constant(11, 2U), constant(12, 3U), constant(13, 4U),
                                                                  constant(20, std::uint64_t{5} << 32), constant(21, 0U)}}}};
  }
  Launch launch(const Kernel& kernel) const {
    std::vector<std::byte> params(24);
    const std::uint32_t scale = 3;
    std::memcpy(params.data() + 4, &scale, sizeof scale);
    return {.kernel = &kernel, .grid = {1, 5, 1}, .buffers = {out_.get(), bias_.get(), in_.get()}, .params = params};
  }
  std::vector<std::uint32_t> run(const KernelSpec& of) {
    const auto kernel = device().load(of);
    device().run(launch(*kernel));
    std::vector<std::uint32_t> words(kCount * 2);
    device().download(*out_, 0, std::as_writable_bytes(std::span(words)));
    return words;
  }
  static void expect_right(const std::vector<std::uint32_t>& found) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(found[2 * i], 3 * (7 * i + 1) + 100 * (i % 4 + 1) + 5) << i;
    }
  }
  std::string skipped_by(const KernelSpec& of) {
    try {
      device().load(of);
    } catch (const Skip& skip) {
      return skip.what();
    } catch (const Error& error) {
      return std::string("Error: ") + error.what();
    }
    return "loaded";
  }

 private:
  std::unique_ptr<Buffer> in_;
  std::unique_ptr<Buffer> bias_;
  std::unique_ptr<Buffer> out_;
};

TEST_P(FreeArguments, SetsUniformsAddressesWideConstantsAndThreeDimensions) { expect_right(run(spec())); }

TEST_P(FreeArguments, ABoolIsFourBytes) {
  KernelSpec negated = spec();
  negated.vulkan.interface->constants.back() = constant(21, 1U);
  const std::vector<std::uint32_t> found = run(negated);
  EXPECT_EQ(found[0], ~(3U + 100 + 5));
}

TEST_P(FreeArguments, TheEntryHasAnyName) {
  // The module's one entry point renamed, in as many letters.
  const KernelImages& original = *spec().images;
  std::vector<std::byte> bytes(original.spirv.begin(), original.spirv.end());
  const std::string_view from = "main";
  const auto found =
      std::search(bytes.begin(), bytes.end(), std::as_bytes(std::span(from)).begin(), std::as_bytes(std::span(from)).end());
  ASSERT_NE(found, bytes.end());
  std::memcpy(&*found, "work", 4);
  KernelImages renamed = original;
  renamed.spirv = bytes;
  KernelSpec of = spec();
  of.images = &renamed;
  of.entry = "work";
  expect_right(run(of));
}

TEST_P(FreeArguments, ASubgroupSizeIsHadOrSkipped) {
  const SubgroupSizes sizes = vulkan_device(device()).context().subgroup_sizes();
  if (sizes.least == 0) GTEST_SKIP() << "compute stages take no wish here";
  KernelSpec of = spec();
  of.vulkan.interface->subgroup_size = sizes.most;
  EXPECT_EQ(run(of)[1], sizes.most);
  of.vulkan.interface->subgroup_size = 2 * sizes.most;
  EXPECT_NE(skipped_by(of).find(fmt::format("wants subgroups of {}", 2 * sizes.most)), std::string::npos) << skipped_by(of);
}

TEST_P(FreeArguments, WhatIsNotGivenIsSaid) {
  KernelSpec of = spec();
  of.vulkan.interface->descriptors[0].is_uniform = false;
  EXPECT_NE(skipped_by(of).find("takes storage buffer at 3 of set 1, uniform buffer at 7 of set 3; given"), std::string::npos)
      << skipped_by(of);
  of = spec();
  of.params_bytes = 20;
  EXPECT_NE(skipped_by(of).find("takes 24 bytes of push constants; given 20"), std::string::npos) << skipped_by(of);
  of = spec();
  of.vulkan.interface->constants.push_back(constant(22, 1U));
  EXPECT_NE(skipped_by(of).find("takes the specialization constants 11, 12, 13, 20, 21; given 22"), std::string::npos)
      << skipped_by(of);
  of = spec();
  of.addresses.front().offset = 20;
  const auto kernel = device().load(of);
  EXPECT_THROW(device().run(launch(*kernel)), Error) << "an address beyond the parameters";
}

TEST_P(FreeArguments, ABlockIsWithinTheDevicesLimitsInEachDimension) {
  KernelSpec of = spec();
  of.block_z = 1U << 20;
  EXPECT_NE(skipped_by(of).find("maxComputeWorkGroupSize[2]"), std::string::npos) << skipped_by(of);
  of.block_z = 0;
  EXPECT_NE(skipped_by(of).find("block 2 x 3 x 0 must not be 0"), std::string::npos) << skipped_by(of);
}

// What lies behind the bytes of a descriptor is none of the kernel's business.
TEST_P(FreeArguments, ADescriptorHasTheBytesThatItIsSaidToHave) {
  KernelSpec of = spec();
  of.vulkan.interface->descriptors[1].bytes = kCount * 4;
  expect_right(run(of));
  of.vulkan.interface->descriptors[1].bytes = kCount * 4 + 1;
  const auto kernel = device().load(of);
  EXPECT_THROW(device().run(launch(*kernel)), Error) << "more than the buffer has";
}

TEST_P(FreeArguments, ABatchBindsAllSets) {
  const auto kernel = device().load(spec());
  const auto subject = device().prepare(launch(*kernel), {});
  EXPECT_GT(subject->time_device({.batch = 3, .lead_in = 1}).ns, 0);
}

// Two specs that differ in what follows no convention are two kernels.
TEST_P(FreeArguments, AWorkbenchTellsThemApart) {
  Workbench bench(device(), 1);
  const Kernel& one = bench.kernel(spec());
  EXPECT_EQ(&bench.kernel(spec()), &one);
  std::vector<KernelSpec> others(5, spec());
  others[0].vulkan.interface->constants.back() = constant(21, 1U);
  others[1].vulkan.interface->descriptors[0].buffer = 2;
  others[2].addresses.front().buffer = 1;
  others[3].block_x = 3;
  others[4].block_y = 4;
  for (const KernelSpec& other : others) EXPECT_NE(&bench.kernel(other), &one);
}

// Without its capability among the choice's the feature is not enabled, and the kernel is skipped by name.
class WithoutCapabilities : public FreeArguments {
 protected:
  VulkanChoice choice() const override { return {}; }
};
TEST_P(WithoutCapabilities, AKernelIsSkippedByTheFeaturesName) {
  EXPECT_NE(skipped_by(spec()).find("wants shaderInt64"), std::string::npos) << skipped_by(spec());
}

INSTANTIATE_TEST_SUITE_P(Device, FreeArguments, testing::Bool(), validation_name);
INSTANTIATE_TEST_SUITE_P(Device, WithoutCapabilities, testing::Bool(), validation_name);

}  // namespace
}  // namespace bench::vulkan
