// Which kernels a device is given, and at which subgroup size, on devices that are not here.
#include "vulkan/launch/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vulkan/api/requirements.h"

namespace bench::vulkan {
namespace {

using Subgroup = vk::SubgroupFeatureFlagBits;

// A module that declares these, and goes on with an OpMemoryModel.
std::vector<std::uint32_t> module_of(std::initializer_list<std::uint32_t> capabilities) {
  std::vector<std::uint32_t> words = {0x07230203, 0x00010600, 0, 1, 0};
  for (const std::uint32_t one : capabilities) words.insert(words.end(), {2U << 16 | 17U, one});
  words.insert(words.end(), {3U << 16 | 14U, 0, 1});
  return words;
}

std::string missing(std::initializer_list<std::uint32_t> capabilities, vk::SubgroupFeatureFlags operations = {},
                    const OptionalFeatures& features = {}) {
  return missing_capability(module_of(capabilities), features, operations);
}

constexpr std::uint32_t kShader = 1;
constexpr std::uint32_t kVote = 62;
constexpr std::uint32_t kBallot = 64;

TEST(Capabilities, OfSubgroupsAreTheDevicesOwn) {
  EXPECT_EQ(missing({kShader, 61, 63}), "");
  EXPECT_EQ(missing({kShader, kVote}), "subgroup votes");
  EXPECT_EQ(missing({kShader, kVote}, Subgroup::eVote), "");
  EXPECT_EQ(missing({kShader, kVote, kBallot}, Subgroup::eVote), "subgroup ballots");
  EXPECT_EQ(missing({kShader, kVote, kBallot}, Subgroup::eVote | Subgroup::eBallot), "");
}

TEST(Capabilities, ThatNobodyEnablesAreNotThere) {
  EXPECT_EQ(missing({kShader, 6}), "SPIR-V's capability 6, which this suite enables nowhere") << "Kernel";
  EXPECT_EQ(missing({6, kShader}), "SPIR-V's capability 6, which this suite enables nowhere");
}

TEST(Capabilities, ThatComeWithAnotherWantTheSameFeature) {
  OptionalFeatures features;
  EXPECT_NE(missing({kShader, 4433}), "") << "StorageBuffer16BitAccess";
  features.float16 = true;
  EXPECT_EQ(missing({kShader, 4433, 9}, {}, features), "");
  EXPECT_NE(missing({kShader, 4212}, {}, features), "") << "Float8EXT";
  EXPECT_NE(missing({kShader, 5116}, {}, features), "") << "BFloat16TypeKHR";
}

// RDNA2 and Vega add floats in shared memory, and not in buffers.
TEST(Capabilities, OfFloatAtomicsAreOfTheMemoryThatTheyAreIn) {
  constexpr std::uint32_t kAdd32 = 6033;
  constexpr std::uint32_t kWorkgroup = 4;
  constexpr std::uint32_t kStorageBuffer = 12;
  const auto module_with_add = [&](std::uint32_t storage_class) {
    std::vector<std::uint32_t> words = module_of({kShader, kAdd32});
    words.insert(words.end(), {4U << 16 | 32U, 10, storage_class, 2});                   // %10 = OpTypePointer
    words.insert(words.end(), {5U << 16 | 65U, 10, 11, 3, 4});                           // %11 = OpAccessChain %10
    words.insert(words.end(), {7U << 16 | 6035U, 2, 12, 11, 5, 6, 7, 1U << 16 | 253U});  // OpAtomicFAddEXT %11; OpReturn
    return words;
  };
  const std::vector<std::uint32_t> shared = module_with_add(kWorkgroup);
  const std::vector<std::uint32_t> buffer = module_with_add(kStorageBuffer);
  EXPECT_TRUE(float_adds(shared).shared && !float_adds(shared).buffer);
  EXPECT_TRUE(float_adds(buffer).buffer && !float_adds(buffer).shared);
  OptionalFeatures rdna2;
  rdna2.shared_float32.add = true;
  EXPECT_EQ(missing_capability(shared, rdna2, {}), "");
  EXPECT_EQ(missing_capability(buffer, rdna2, {}), "VK_EXT_shader_atomic_float's shaderBufferFloat32AtomicAdd");
  EXPECT_EQ(missing_capability(shared, {}, {}), "VK_EXT_shader_atomic_float's shaderSharedFloat32AtomicAdd");
  EXPECT_NE(missing({kShader, kAdd32}, {}, rdna2), "") << "a module that adds nowhere wants one of both, too";
}

TEST(Capabilities, OfAnybodysKernelNameTheFeature) {
  EXPECT_EQ(declared_capabilities(module_of({kShader, 22, 4442})), (std::vector<std::uint32_t>{kShader, 22, 4442}));
  EXPECT_EQ(missing({kShader, 22}), "shaderInt16");
  EXPECT_EQ(missing({kShader, 4435}), "storagePushConstant16");
  OptionalFeatures features;
  features.int16 = features.variable_pointers_buffer = true;
  EXPECT_EQ(missing({kShader, 22, 4441}, {}, features), "");
  EXPECT_EQ(missing({kShader, 22, 4442}, {}, features), "variablePointers");
}

TEST(WorkgroupMatrices, AreMultiplesOfWhatIsListedForAsManyInvocations) {
  const FlexibleMatrix listed[] = {{32, 32, 16, "f16 f32", 128}, {64, 32, 16, "f16 f32", 256}, {32, 32, 16, "f16 f16", 256}};
  EXPECT_TRUE(multiplies(listed, {128, 256, 64, "f16 f32"}, 256));
  EXPECT_FALSE(multiplies(listed, {96, 256, 64, "f16 f32"}, 256)) << "96 rows by 64";
  EXPECT_TRUE(multiplies(listed, {96, 256, 64, "f16 f32"}, 128));
  EXPECT_FALSE(multiplies(listed, {128, 256, 24, "f16 f32"}, 256)) << "a depth of 24 by 16";
  EXPECT_FALSE(multiplies(listed, {128, 256, 64, "f16 f32"}, 512));
  EXPECT_FALSE(multiplies(listed, {128, 256, 64, "bf16 f32"}, 256));
  EXPECT_FALSE(multiplies({}, {128, 256, 64, "f16 f32"}, 256));
}

TEST(SubgroupSize, Is32WhereAPipelineMayAskForIt) {
  EXPECT_EQ(choose_subgroup_size(32, 32, 32, true), 32U) << "NVIDIA";
  EXPECT_EQ(choose_subgroup_size(64, 32, 64, true), 32U) << "AMD, RDNA, by RADV";
  EXPECT_EQ(choose_subgroup_size(64, 64, 64, true), 64U) << "AMD, GCN";
  EXPECT_EQ(choose_subgroup_size(64, 32, 64, false), 64U) << "a driver that takes no wish";
  EXPECT_EQ(choose_subgroup_size(32, 8, 32, true), 32U) << "Intel";
  EXPECT_EQ(choose_subgroup_size(64, 64, 128, true), 64U) << "Adreno";
  EXPECT_EQ(choose_subgroup_size(8, 8, 8, true), 8U) << "lavapipe";
}

}  // namespace
}  // namespace bench::vulkan
