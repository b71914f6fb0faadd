#include "vulkan/launch/capabilities.h"

#include <algorithm>
#include <array>
#include <map>

namespace bench::vulkan {

std::vector<std::uint32_t> declared_capabilities(std::span<const std::uint32_t> words) {
  // A module starts, after five words of header, with its OpCapability instructions (SPIR-V specification, section 2.4).
  constexpr std::uint32_t kOpCapability = 17;
  std::vector<std::uint32_t> declared;
  for (std::size_t i = 5; i + 1 < words.size() && words[i] == (2U << 16 | kOpCapability); i += 2) {
    declared.push_back(words[i + 1]);
  }
  return declared;
}

FloatAdds float_adds(std::span<const std::uint32_t> words) {
  // SPIR-V specification, section 3: opcodes, storage classes. Each of these opcodes' first operands are a type and its result.
  constexpr std::uint32_t kOpTypePointer = 32;
  constexpr std::uint32_t kOpAtomicFAddEXT = 6035;
  constexpr std::array<std::uint32_t, 8> kMakePointers = {55, 59, 61, 65, 66, 67, 120, 124};
  constexpr std::uint32_t kWorkgroup = 4;
  std::map<std::uint32_t, std::uint32_t> storage_class;  // of a pointer type
  std::map<std::uint32_t, std::uint32_t> type;           // of a result
  FloatAdds found;
  for (std::size_t i = 5; i + 3 < words.size();) {
    const std::uint32_t opcode = words[i] & 0xffffU;
    const std::size_t length = words[i] >> 16U;
    if (length == 0) break;
    if (opcode == kOpTypePointer) storage_class[words[i + 1]] = words[i + 2];
    if (std::ranges::count(kMakePointers, opcode) != 0) type[words[i + 2]] = words[i + 1];
    if (opcode == kOpAtomicFAddEXT) {
      (storage_class[type[words[i + 3]]] == kWorkgroup ? found.shared : found.buffer) = true;
    }
    i += length;
  }
  found.buffer = found.buffer || !found.shared;
  return found;
}

std::string missing_capability(std::span<const std::uint32_t> words, const OptionalFeatures& has,
                               vk::SubgroupFeatureFlags subgroup_operations) {
  using Subgroup = vk::SubgroupFeatureFlagBits;
  const auto does = [&](Subgroup one) { return static_cast<bool>(subgroup_operations & one); };
  const FloatAdds adds = float_adds(words);
  struct Known {
    std::uint32_t capability;
    const char* wanted;
    bool enabled;
  };
  const Known known[] = {
      // What every device has (Vulkan 1.3, appendix "Vulkan Environment for SPIR-V"), or what a Context asks of each.
      {0, "matrices", true},
      {1, "shaders", true},
      {40, "input attachments", true},
      {43, "1D images", true},
      {44, "1D images", true},
      {46, "texel buffers", true},
      {47, "texel buffers", true},
      {50, "image queries", true},
      {51, "derivatives", true},
      {61, "subgroups", true},
      {63, "subgroup arithmetic", true},
      {5347, "bufferDeviceAddress", true},
      // Of some.
      {9, "shaderFloat16 and storageBuffer16BitAccess", has.float16},
      {10, "shaderFloat64", has.float64},
      {11, "shaderInt64", has.shader_int64},
      {12, "shaderBufferInt64Atomics and shaderSharedInt64Atomics", has.int64_atomics},
      {22, "shaderInt16", has.int16},
      {39, "shaderInt8 and storageBuffer8BitAccess", has.int8},
      {62, "subgroup votes", does(Subgroup::eVote)},
      {64, "subgroup ballots", does(Subgroup::eBallot)},
      {65, "subgroup shuffles", does(Subgroup::eShuffle)},
      {66, "relative subgroup shuffles", does(Subgroup::eShuffleRelative)},
      {67, "clustered subgroup operations", does(Subgroup::eClustered)},
      {68, "subgroup quads", does(Subgroup::eQuad)},
      {4212, "VK_EXT_shader_float8", has.float8_matrix},
      {4213, "VK_EXT_shader_float8's cooperative matrices", has.float8_matrix},
      {4433, "shaderFloat16 and storageBuffer16BitAccess", has.float16},
      {4428, "VK_KHR_workgroup_memory_explicit_layout", has.workgroup_layout},
      {4429, "workgroupMemoryExplicitLayout8BitAccess", has.workgroup_layout8},
      {4430, "workgroupMemoryExplicitLayout16BitAccess", has.workgroup_layout16},
      {4434, "uniformAndStorageBuffer16BitAccess", has.uniform16},
      {4435, "storagePushConstant16", has.push16},
      {4441, "variablePointersStorageBuffer", has.variable_pointers_buffer},
      {4442, "variablePointers", has.variable_pointers},
      {4448, "shaderInt8 and storageBuffer8BitAccess", has.int8},
      {4449, "uniformAndStorageBuffer8BitAccess", has.uniform8},
      {4450, "storagePushConstant8", has.push8},
      // One capability for either clock: a device has both or is taken to have none.
      {5055, "VK_KHR_shader_clock's shaderDeviceClock and shaderSubgroupClock",
       has.shader_device_clock && has.shader_subgroup_clock},
      {5116, "VK_KHR_shader_bfloat16", has.bfloat16_matrix},
      {5118, "VK_KHR_shader_bfloat16's cooperative matrices", has.bfloat16_matrix},
      {5302, "runtimeDescriptorArray", has.bindless},
      {5345, "vulkanMemoryModel", has.vulkan_memory_model},
      {5346, "vulkanMemoryModelDeviceScope", has.vulkan_memory_model_device_scope},
      {5373, "VK_NV_shader_sm_builtins", has.sm_builtins},
      {5404, "VK_NV_shader_atomic_float16_vector", has.float16_vector_atomics},
      {5433, "VK_NV_cooperative_matrix2 (matrices by tensor layouts)", has.workgroup_matrix},
      {5439, "VK_NV_cooperative_matrix2 (matrices of a workgroup, of any size, by tensor layouts)", has.workgroup_matrix},
      {5612, "VK_EXT_shader_atomic_float2's shaderBufferFloat32AtomicMinMax and shaderSharedFloat32AtomicMinMax",
       has.float32_atomic_min_max},
      {6016, "shaderIntegerDotProduct", has.integer_dot_product},
      {6017, "shaderIntegerDotProduct", has.integer_dot_product},
      {6018, "shaderIntegerDotProduct", has.integer_dot_product},
      {6019, "shaderIntegerDotProduct", has.integer_dot_product},
      {6022, "VK_KHR_cooperative_matrix", has.cooperative_matrix},
      {6026, "VK_KHR_shader_subgroup_rotate", has.subgroup_rotate},
      {6033, "VK_EXT_shader_atomic_float's shaderBufferFloat32AtomicAdd", has.buffer_float32.add || !adds.buffer},
      {6033, "VK_EXT_shader_atomic_float's shaderSharedFloat32AtomicAdd", has.shared_float32.add || !adds.shared},
      {6034, "VK_EXT_shader_atomic_float's shaderBufferFloat64AtomicAdd", has.buffer_float64.add || !adds.buffer},
      {6034, "VK_EXT_shader_atomic_float's shaderSharedFloat64AtomicAdd", has.shared_float64.add || !adds.shared},
  };
  for (const std::uint32_t declared : declared_capabilities(words)) {
    bool is_known = false;
    for (const Known& one : known) {
      if (one.capability != declared) continue;
      is_known = true;
      if (!one.enabled) return one.wanted;
    }
    if (!is_known) return fmt::format("SPIR-V's capability {}, which this suite enables nowhere", declared);
  }
  return "";
}

bool multiplies(std::span<const FlexibleMatrix> listed, const VulkanLaunch::WorkgroupMatrix& matrix,
                std::uint32_t invocations) {
  return std::any_of(listed.begin(), listed.end(), [&](const FlexibleMatrix& one) {
    return one.types == matrix.types && one.invocations == invocations && matrix.rows % one.rows == 0 &&
           matrix.columns % one.columns == 0 && matrix.depth % one.depth == 0;
  });
}

}  // namespace bench::vulkan
