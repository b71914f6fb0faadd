// The parts of bench_cuda that need no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuda/api/error.h"
#include "cuda/device/device.h"
#include "cuda/launch/kernel.h"
#include "cuda/measure/gate.h"
#include "cuda_unit_kernels.h"

namespace bench::cuda {
namespace {

using testing::HasSubstr;

TEST(CudaError, NamesCodeNumberAndWhatToTry) {
  const std::string text = describe(cudaErrorInsufficientDriver);
  EXPECT_THAT(text, HasSubstr("cudaErrorInsufficientDriver (35)"));
  EXPECT_THAT(text, HasSubstr("install or update"));
  EXPECT_THAT(describe(cudaErrorNoDevice), HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST(CudaError, StickyErrorsSayThatTheContextIsLost) {
  EXPECT_TRUE(is_sticky(cudaErrorIllegalAddress));
  EXPECT_TRUE(is_sticky(static_cast<cudaError_t>(226))) << "cudaErrorContained";
  EXPECT_FALSE(is_sticky(cudaErrorMemoryAllocation));
  EXPECT_THAT(describe(cudaErrorIllegalAddress), HasSubstr("context is lost"));
}

TEST(CudaError, MacroNamesFileCallAndValues) {
  EXPECT_NO_THROW(BENCH_CU(cudaSuccess));
  try {
    BENCH_CU(cudaErrorInvalidValue, "{} bytes", 7);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cuda_parts_test.cpp:"));
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorInvalidValue (1)"));
    EXPECT_THAT(error.what(), HasSubstr("7 bytes"));
    EXPECT_NE(std::string_view(error.what()).front(), '/') << "where this was built is nobody's business";
  }
}

TEST(CudaError, MacroTellsALostDeviceAndTooLittleMemoryApart) {
  EXPECT_THROW(BENCH_CU(cudaErrorIllegalAddress), DeviceLost);
  EXPECT_THROW(BENCH_CU(cudaErrorECCUncorrectable), DeviceLost);
  EXPECT_THROW(BENCH_CU(cudaErrorMemoryAllocation), OutOfMemory);
  EXPECT_THROW(BENCH_CU(cudaErrorInvalidConfiguration), Error);
}

TEST(CudaGate, OpensAtTheLatestWhenItsSampleEnds) {
  volatile std::uint32_t word = 0;
  const auto enqueue_badly = [&] {
    const Opening opening(&word, 7);
    EXPECT_EQ(word, 0U) << "shut until then";
    throw Error("a launch failed");
  };
  EXPECT_THROW(enqueue_badly(), Error);
  EXPECT_EQ(word, 7U);
  Opening opening(&word, 8);
  EXPECT_EQ(word, 7U);
  opening.open();
  EXPECT_EQ(word, 8U);
}

TEST(CudaGate, HoldsWhatFitsIntoAQueue) {
  EXPECT_EQ(calls_in_a_queue(1000, 1), 1000U);
  EXPECT_EQ(calls_in_a_queue(1000, 2), 500U);
  EXPECT_EQ(calls_in_a_queue(1001, 2), 501U);
  EXPECT_EQ(calls_in_a_queue(1000, 32), 125U) << "streams share eight queues";
  EXPECT_EQ(calls_in_a_queue(3, 0), 3U);
  EXPECT_LT(kMostHeldCalls, 1024U);
}

TEST(CudaGate, WhereLaunchesBlockNothingMoreIsHeld) {
  HoldRecord record;
  for (int i = 0; i < 2; ++i) record.note(true, 1);
  EXPECT_TRUE(record.holds());
  record.note(false, 1);
  for (int i = 0; i < 2; ++i) record.note(true, 1);
  EXPECT_TRUE(record.holds()) << "a host that was slow now and then";
  for (int i = 0; i < 9; ++i) record.note(true, 1000);
  EXPECT_TRUE(record.holds()) << "a queue that is too short for many";
  record.note(true, 1);
  EXPECT_FALSE(record.holds());
}

TEST(CudaRequirements, NamesEveryUnmetRequirement) {
  EXPECT_EQ(unmet_requirements("NVIDIA H200", {9, 0}), "");
  EXPECT_EQ(unmet_requirements("Tesla V100-SXM2-16GB", {7, 0}), "");
  EXPECT_THAT(unmet_requirements("Tesla P100", {6, 0}), HasSubstr("7.0 or newer wanted, 6.0 found"));
  EXPECT_THAT(unmet_requirements("NVIDIA A100-SXM4-40GB MIG 1g.5gb", {8, 0}), HasSubstr("MIG"));
  const std::string both = unmet_requirements("GPU MIG 1g", {6, 0});
  EXPECT_THAT(both, HasSubstr("7.0"));
  EXPECT_THAT(both, HasSubstr("MIG"));
}

TEST(CudaKernel, NamesArchitectures) {
  const CudaImage images[] = {{8, 0, false, false, {}}, {9, 0, true, false, {}}, {8, 0, false, true, {}}};
  EXPECT_EQ(architectures(images), "sm_80, sm_90a, PTX compute_80");
  EXPECT_EQ(architectures({}), "none");
  EXPECT_EQ(why_no_image(images, {7, 5}),
            "no code for compute capability 7.5; this build has sm_80, sm_90a, PTX compute_80 (add yours to BENCH_CUDA_ARCHS)");
  EXPECT_EQ(why_no_image({&images[1], 1}, {10, 0}),
            "its instructions are those of sm_90a alone; no kernel here has those of compute capability 10.0");
}

TEST(CudaKernel, MissingTwinAndMissingArchitectureAreSkips) {
  const KernelImages none{"vulkan_only", {}, {}};
  KernelSpec spec;
  spec.images = &none;
  spec.entry = "f";
  EXPECT_THROW(Kernel(spec, {9, 0}), Skip);

  const CudaImage newer[] = {{9, 0, true, false, {}}};
  const KernelImages built_for_hopper{"built_for_hopper", newer, {}};
  spec.images = &built_for_hopper;
  try {
    const Kernel kernel(spec, {8, 6});
    FAIL() << "nothing was thrown";
  } catch (const Skip& skip) {
    EXPECT_THAT(skip.what(), HasSubstr("8.6"));
    EXPECT_THAT(skip.what(), HasSubstr("sm_90a"));
  }
}

TEST(CudaKernel, AGpuOlderThanTheInstructionsIsASkipWhateverTheBuildHas) {
  const CudaImage newer[] = {{9, 0, true, false, {}}};
  const auto reason = [](const KernelImages& images, ComputeCapability device) -> std::string {
    try {
      const Kernel kernel({.images = &images, .entry = "f"}, device);
    } catch (const Skip& skip) {
      return skip.what();
    }
    return "nothing was thrown";
  };
  const KernelImages hopper{"hopper", newer, {}, 90};
  EXPECT_THAT(reason(hopper, {8, 6}), HasSubstr("9.0 or newer wanted, 8.6 found"));
  // A build for older GPUs alone.
  const KernelImages none{"hopper", {}, {}, 90};
  EXPECT_THAT(reason(none, {8, 6}), HasSubstr("9.0 or newer wanted, 8.6 found"));
  EXPECT_THAT(reason(none, {9, 0}), HasSubstr("no code for compute capability 9.0; this build has none"));
}

// cluster_rank.cu is listed under CUDA_SM90, spin.cu under CUDA: see cmake/EmbedKernels.cmake.
TEST(EmbeddedKernels, HaveNoImageOlderThanTheirInstructionsAndTheLowestOfTheOthersAsPtx) {
  const auto number = [](const CudaImage& image) { return image.major * 10 + image.minor; };
  const KernelImages& spin = find_kernel(kernels::cuda_unit(), "spin");
  const KernelImages& cluster = find_kernel(kernels::cuda_unit(), "cluster_rank");
  EXPECT_EQ(spin.cuda_since, 0);
  EXPECT_EQ(cluster.cuda_since, 90);
  for (const KernelImages* images : {&spin, &cluster}) {
    std::vector<int> built;
    for (const CudaImage& image : spin.cuda) {
      if (!image.is_ptx && number(image) >= images->cuda_since) built.push_back(number(image));
    }
    std::vector<int> cubins;
    std::vector<int> ptx;
    for (const CudaImage& image : images->cuda) (image.is_ptx ? ptx : cubins).push_back(number(image));
    EXPECT_EQ(cubins, built) << images->stem;
    if (built.empty()) {
      EXPECT_TRUE(ptx.empty()) << images->stem;
    } else {
      EXPECT_THAT(ptx, testing::ElementsAre(std::ranges::min(built))) << images->stem;
    }
  }
}

}  // namespace
}  // namespace bench::cuda
