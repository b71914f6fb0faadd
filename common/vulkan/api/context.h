// An opened device: VkDevice, its one queue, its limits and the optional features that were enabled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"
#include "vulkan/api/instance.h"
#include "vulkan/api/raii.h"

namespace bench::vulkan {

// How memory is shared with another API, and what a DeviceBuffer may be used as.
inline constexpr vk::ExternalMemoryHandleTypeFlagBits kSharedHandle = vk::ExternalMemoryHandleTypeFlagBits::eOpaqueFd;

inline constexpr vk::BufferUsageFlags kDeviceUsage =
    vk::BufferUsageFlagBits::eStorageBuffer | vk::BufferUsageFlagBits::eUniformBuffer | vk::BufferUsageFlagBits::eTransferSrc |
    vk::BufferUsageFlagBits::eTransferDst | vk::BufferUsageFlagBits::eShaderDeviceAddress;

// Matrices of a workgroup of so many invocations, of any multiple of these rows, columns and depth.
struct FlexibleMatrix {
  std::uint32_t rows = 1, columns = 1, depth = 1;
  std::string types;  // of elements and of sums: "f16 f32"
  std::uint32_t invocations = 0;
};

// Enabled where present. A new one: a field here, a line in Context's constructor, and, if a kernel's SPIR-V declares a
// capability for it, a line in compute_pipeline.cpp.
struct OptionalFeatures {
  bool shader_device_clock = false;               // VK_KHR_shader_clock: clockRealtimeEXT
  bool vulkan_memory_model = false;               // GLSL: #pragma use_vulkan_memory_model
  bool vulkan_memory_model_device_scope = false;  // gl_ScopeDevice in it
  bool portability_subset = false;  // to be enabled where it is there (Vulkan 1.3, VUID-VkDeviceCreateInfo-pProperties-04451)
  bool memory_budget =
      false;  // VK_EXT_memory_budget: how much of a heap is free. Asked of the physical device, enabled nowhere
  // VK_KHR_external_memory_fd, for buffers used as DeviceBuffer is.
  bool export_memory = false;
  bool import_memory = false;
  bool import_undedicated = false;  // also of allocations that hold more than one buffer could claim
  // VK_KHR_pipeline_executable_properties. Only with DeviceOptions::inspect: what is timed runs on a device without it.
  bool pipeline_executable_info = false;
  bool push_descriptors = false;       // VK_KHR_push_descriptor
  bool descriptor_buffer = false;      // VK_EXT_descriptor_buffer
  bool bindless = false;               // runtimeDescriptorArray, partially bound, storage buffers updated after bind
  bool pipeline_robustness = false;    // VK_EXT_pipeline_robustness; only with VulkanChoice::pipeline_robustness
  bool shader_subgroup_clock = false;  // VK_KHR_shader_clock: clockARB
  bool sm_builtins = false;            // VK_NV_shader_sm_builtins: gl_SMIDNV
  bool binary_import = false;          // VK_NVX_binary_import: KernelSpec::imported
  bool global_priority = false;        // VK_KHR_global_priority; only with VulkanChoice::priority
  bool full_subgroups = false;         // computeFullSubgroups: KernelSpec::full_subgroups
  bool sparse_binding = false;         // only with VulkanChoice::sparse_binding
  bool timeline = false;               // timeline semaphores; only with VulkanChoice::timeline
  bool host_pointers = false;          // VK_EXT_external_memory_host; only with VulkanChoice::host_pointers
  bool uniform_control_flow = false;   // VK_KHR_shader_subgroup_uniform_control_flow; only with VulkanChoice::reconvergence
  bool maximal_reconvergence = false;  // VK_KHR_shader_maximal_reconvergence; likewise
  bool conditional_rendering = false;  // VK_EXT_conditional_rendering; only with VulkanChoice::conditional_rendering
  bool generated_commands = false;     // VK_EXT_device_generated_commands; only with VulkanChoice::generated_commands
  bool subgroup_rotate = false;        // VK_KHR_shader_subgroup_rotate
  // Only with VulkanChoice::matrix_units or VulkanChoice::atomics.
  bool float16 = false;  // shaderFloat16 and storageBuffer16BitAccess
  bool float64 = false;  // shaderFloat64
  // Only with VulkanChoice::matrix_units, as all to `matrices`.
  bool int8 = false;                 // shaderInt8 and storageBuffer8BitAccess
  bool integer_dot_product = false;  // shaderIntegerDotProduct
  bool cooperative_matrix = false;   // VK_KHR_cooperative_matrix
  bool workgroup_matrix = false;     // VK_NV_cooperative_matrix2: matrices of a workgroup, of any size, by tensor layouts
  bool bfloat16_matrix = false;      // VK_KHR_shader_bfloat16, with cooperative matrices
  bool float8_matrix = false;        // VK_EXT_shader_float8, likewise
  std::set<std::string> matrices;    // a subgroup's that the device multiplies: see KernelSpec::matrix
  std::vector<FlexibleMatrix> workgroup_matrices;  // a workgroup's: see VulkanLaunch::workgroup_matrix
  // Only with VulkanChoice::atomics.
  bool shader_int64 = false;   // core: 64-bit integers in kernels
  bool int64_atomics = false;  // Vulkan 1.2: on buffers and on shared memory, or taken to be missing
  // VK_EXT_shader_atomic_float. AMD's RDNA2 and Vega add floats in shared memory and not in buffers.
  struct FloatAtomics {
    bool exchange = false;
    bool add = false;
  };
  FloatAtomics buffer_float32, shared_float32, buffer_float64, shared_float64;
  bool float16_vector_atomics = false;  // VK_NV_shader_atomic_float16_vector
  // Only where VulkanChoice::capabilities has what they are for, as all above may be.
  bool int16 = false;                     // shaderInt16
  bool uniform16 = false;                 // uniformAndStorageBuffer16BitAccess
  bool push16 = false;                    // storagePushConstant16
  bool uniform8 = false;                  // uniformAndStorageBuffer8BitAccess
  bool push8 = false;                     // storagePushConstant8
  bool variable_pointers_buffer = false;  // variablePointersStorageBuffer
  bool variable_pointers = false;         // variablePointers
  bool workgroup_layout = false;          // VK_KHR_workgroup_memory_explicit_layout
  bool workgroup_layout8 = false;
  bool workgroup_layout16 = false;
  bool float32_atomic_min_max = false;  // VK_EXT_shader_atomic_float2
  bool robustness2 = false;  // VK_EXT_robustness2's robustBufferAccess2 is supported; never enabled for the whole device
};

struct SubgroupSizes {
  std::uint32_t size = 0;    // see choose_subgroup_size()
  bool can_require = false;  // compute stages may ask for it
  std::uint32_t max_per_workgroup = 0;
  std::uint32_t least = 0;  // that a compute stage may ask for; 0: none
  std::uint32_t most = 0;
  vk::SubgroupFeatureFlags operations;  // in compute stages
};

// Everything of the later rooms holds a reference to the Context, which outlives it.
class Context {
 public:
  // Throws Skip with every unmet requirement, Error if the device of `info` is gone or the validation layer is missing.
  // `instance` is of these options, and may be shared.
  Context(const DeviceInfo& info, const DeviceOptions& options, std::shared_ptr<const Instance> instance);

  const DeviceInfo& info() const { return info_; }
  const vk::raii::PhysicalDevice& physical_device() const { return physical_device_; }
  const vk::raii::Device& device() const { return device_; }
  const vk::raii::Queue& queue() const { return queues_.front(); }
  // Compute queue `index` of VulkanChoice::compute_queues; 0 is queue().
  const vk::raii::Queue& compute_queue(std::uint32_t index) const { return queues_.at(index); }
  // A queue that the choice asked for beside them, and its family. Throw Error where it did not.
  struct OtherQueue {
    std::uint32_t family = 0;
    std::uint32_t timestamp_valid_bits = 0;  // 0: none
    vk::raii::Queue queue{nullptr};
  };
  const OtherQueue& transfer_queue() const;
  const OtherQueue& graphics_queue() const;
  std::uint32_t queue_family() const { return queue_family_; }
  // Of all its queues, each once: a buffer that several use belongs to all of them.
  std::vector<std::uint32_t> queue_families() const;
  std::uint32_t timestamp_valid_bits() const { return timestamp_valid_bits_; }

  const vk::PhysicalDeviceLimits& limits() const { return limits_; }
  std::uint64_t max_allocation_bytes() const { return max_allocation_bytes_; }  // of one buffer
  const SubgroupSizes& subgroup_sizes() const { return subgroup_sizes_; }
  const OptionalFeatures& features() const { return features_; }
  // What a submission should take at least, for a Deadline: a software device needs minutes for what a GPU does in seconds.
  double expected_s(double on_a_gpu_s) const { return on_a_gpu_s + (info_.is_cpu ? 30 : 0); }

  // A submission that waits for a semaphore which nobody has signaled yet stays in a thread of the driver's (Mesa's
  // vk_queue.c: THREADED_ON_DEMAND), and later ones of its queue behind it. The thread hands them over one by one.
  bool waits_on_the_host() const { return waits_on_the_host_; }

  // GPUs in this one's device group (vkEnumeratePhysicalDeviceGroups), itself among them.
  std::uint32_t group_size() const;

  const std::shared_ptr<const Instance>& instance() const { return instance_; }
  bool can_label() const { return instance_->can_label(); }
  Complaints* complaints() const { return instance_->complaints(); }  // nullptr without validation
  std::vector<std::string> complaints_since_opened() const;

  // The name that validation messages and tools show; only with validation.
  template <class Object>
  void label(const Object& object, std::string_view name) const {
    using Handle = std::remove_cvref_t<decltype(*object)>;
    label(Handle::objectType, reinterpret_cast<std::uint64_t>(static_cast<typename Handle::CType>(*object)), name);
  }

 private:
  void label(vk::ObjectType type, std::uint64_t handle, std::string_view name) const;

  DeviceInfo info_;
  std::shared_ptr<const Instance> instance_;
  std::size_t complaints_before_ = 0;
  vk::raii::PhysicalDevice physical_device_;
  vk::PhysicalDeviceLimits limits_;
  std::uint64_t max_allocation_bytes_ = 0;
  SubgroupSizes subgroup_sizes_;
  OptionalFeatures features_;
  std::uint32_t queue_family_ = 0;
  std::uint32_t timestamp_valid_bits_ = 0;
  bool waits_on_the_host_ = false;
  vk::raii::Device device_;
  std::vector<vk::raii::Queue> queues_;  // of the compute family
  std::optional<OtherQueue> transfer_;
  std::optional<OtherQueue> graphics_;
};

}  // namespace bench::vulkan
