// Extensions that are younger than the oldest Vulkan headers the suite is built with (Debian 12's: 1.3.239). Numbers and
// layouts are the registry's (vk.xml), and part of the ABI.
#pragma once

#include <cstdint>

namespace bench::vulkan {

// Every structure of a chain begins so.
struct ChainHead {
  std::uint32_t type;
  void* next = nullptr;
};

inline constexpr const char* kCooperativeMatrix = "VK_KHR_cooperative_matrix";
struct CooperativeMatrixFeatures {
  ChainHead head{1000506000};
  std::uint32_t matrix = 0;
  std::uint32_t robust_buffer_access = 0;
};
struct CooperativeMatrixProperties {
  ChainHead head{1000506001};
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
  std::uint32_t a = 0;  // VkComponentTypeKHR, as b, c and result
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t result = 0;
  std::uint32_t saturating = 0;
  std::uint32_t scope = 0;
};
inline constexpr std::uint32_t kScopeSubgroup = 3;

inline constexpr const char* kCooperativeMatrix2 = "VK_NV_cooperative_matrix2";
struct CooperativeMatrix2Features {
  ChainHead head{1000593000};
  std::uint32_t workgroup_scope = 0;
  std::uint32_t flexible_dimensions = 0;
  std::uint32_t reductions = 0;
  std::uint32_t conversions = 0;
  std::uint32_t per_element_operations = 0;
  std::uint32_t tensor_addressing = 0;
  std::uint32_t block_loads = 0;
};

inline constexpr const char* kBfloat16 = "VK_KHR_shader_bfloat16";
struct Bfloat16Features {
  ChainHead head{1000141000};
  std::uint32_t type = 0;
  std::uint32_t dot_product = 0;
  std::uint32_t cooperative_matrix = 0;
};

inline constexpr const char* kFloat16VectorAtomics = "VK_NV_shader_atomic_float16_vector";
struct Float16VectorAtomicsFeatures {
  ChainHead head{1000563000};
  std::uint32_t atomics = 0;
};

inline constexpr const char* kSubgroupRotate = "VK_KHR_shader_subgroup_rotate";
struct SubgroupRotateFeatures {
  ChainHead head{1000416000};
  std::uint32_t rotate = 0;
  std::uint32_t clustered = 0;
};

inline constexpr const char* kFloat8 = "VK_EXT_shader_float8";
struct Float8Features {
  ChainHead head{1000567000};
  std::uint32_t type = 0;
  std::uint32_t cooperative_matrix = 0;
};

}  // namespace bench::vulkan
