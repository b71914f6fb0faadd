#include "vulkan/api/context.h"

#include <algorithm>
#include <string>

#include "vulkan/api/newer_extensions.h"
#include "vulkan/api/requirements.h"

namespace bench::vulkan {
namespace {

vk::raii::PhysicalDevice find_device(const Instance& instance, const DeviceInfo& info) {
  std::vector<vk::raii::PhysicalDevice> devices = BENCH_VK(instance.handle().enumeratePhysicalDevices());
  const auto index = static_cast<std::size_t>(info.index);
  // The validation layer and the list()ing instance see the same order; a changed one would time another GPU.
  const std::vector<DeviceInfo> listed = instance.list();
  if (index >= devices.size() || listed[index].name != info.name || listed[index].uuid != info.uuid) {
    throw Error("Vulkan device {} ({}) is no longer at its place: list the devices again", info.index, info.name);
  }
  return std::move(devices[index]);
}

DeviceFacts facts_of(const vk::raii::PhysicalDevice& device) {
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  const auto vulkan13 = features_of<vk::PhysicalDeviceVulkan13Features>(device);
  const auto subgroup = properties_of<vk::PhysicalDeviceSubgroupProperties>(device);
  const vk::PhysicalDeviceProperties properties = device.getProperties();

  DeviceFacts facts;
  facts.api_major = VK_API_VERSION_MAJOR(properties.apiVersion);
  facts.api_minor = VK_API_VERSION_MINOR(properties.apiVersion);
  for (const vk::QueueFamilyProperties& family : device.getQueueFamilyProperties()) {
    facts.queue_families.push_back({.compute = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eCompute),
                                    .graphics = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eGraphics),
                                    .transfer = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eTransfer),
                                    .queues = family.queueCount,
                                    .sparse_binding = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eSparseBinding),
                                    .timestamp_valid_bits = family.timestampValidBits});
  }
  facts.timestamp_period = properties.limits.timestampPeriod;
  facts.timeline_semaphore = vulkan12.timelineSemaphore;
  facts.synchronization2 = vulkan13.synchronization2;
  facts.maintenance4 = vulkan13.maintenance4;
  facts.subgroup_size_control = vulkan13.subgroupSizeControl;
  facts.buffer_device_address = vulkan12.bufferDeviceAddress;
  facts.scalar_block_layout = vulkan12.scalarBlockLayout;
  facts.subgroup_arithmetic_in_compute = (subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute) &&
                                         (subgroup.supportedOperations & vk::SubgroupFeatureFlagBits::eArithmetic);
  return facts;
}

// VkComponentTypeKHR by the names that KernelSpec::matrix uses; "" for one that no kernel here has.
std::string_view component_name(std::uint32_t type) {
  constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {{0, "f16"}, {1, "f32"},           {3, "s8"},
                                                                   {5, "s32"}, {1000141000, "bf16"}, {1000491002, "e4m3"}};
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& one) { return one.first == type; });
  return found == std::end(kNames) ? "" : found->second;
}

std::set<std::string> subgroup_matrices(const Instance& instance, const vk::raii::PhysicalDevice& device) {
  using Get = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*, CooperativeMatrixProperties*);
  const auto get = reinterpret_cast<Get>(instance.handle().getProcAddr("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  std::uint32_t count = 0;
  if (get == nullptr || get(*device, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<CooperativeMatrixProperties> listed(count);
  if (get(*device, &count, listed.data()) != VK_SUCCESS) return {};
  std::set<std::string> result;
  for (const CooperativeMatrixProperties& one : listed) {
    if (one.scope != kScopeSubgroup || one.saturating != 0 || one.a != one.b || one.c != one.result) continue;
    if (component_name(one.a).empty() || component_name(one.c).empty()) continue;
    result.insert(fmt::format("{}x{}x{} {} {}", one.m, one.n, one.k, component_name(one.a), component_name(one.c)));
  }
  return result;
}

// The features of an extension that may be younger than the headers; `none` where the device lacks it.
template <class Feature>
Feature ask_newer(const vk::raii::PhysicalDevice& device, const std::vector<vk::ExtensionProperties>& extensions,
                  const char* extension, Feature none) {
  if (!has_extension(extensions, extension)) return none;
  vk::PhysicalDeviceFeatures2 all{.pNext = &none.head};
  device.getDispatcher()->vkGetPhysicalDeviceFeatures2(*device, reinterpret_cast<VkPhysicalDeviceFeatures2*>(&all));
  return none;
}

void find_matrix_units(const Instance& instance, const vk::raii::PhysicalDevice& device,
                       const std::vector<vk::ExtensionProperties>& extensions, OptionalFeatures& features) {
  const auto ask = [&]<class Feature>(const char* extension, Feature none) {
    return ask_newer(device, extensions, extension, none);
  };
  const auto matrix = ask(kCooperativeMatrix, CooperativeMatrixFeatures{});
  const auto matrix2 = ask(kCooperativeMatrix2, CooperativeMatrix2Features{});
  const auto bfloat16 = ask(kBfloat16, Bfloat16Features{});
  const auto float8 = ask(kFloat8, Float8Features{});
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  features.int8 = vulkan12.shaderInt8 && vulkan12.storageBuffer8BitAccess;
  features.integer_dot_product = features_of<vk::PhysicalDeviceVulkan13Features>(device).shaderIntegerDotProduct;
  features.cooperative_matrix = matrix.matrix != 0;
  features.workgroup_matrix = features.cooperative_matrix && matrix2.workgroup_scope != 0 && matrix2.flexible_dimensions != 0 &&
                              matrix2.tensor_addressing != 0;
  features.bfloat16_matrix = bfloat16.type != 0 && bfloat16.cooperative_matrix != 0;
  features.float8_matrix = float8.type != 0 && float8.cooperative_matrix != 0;
  if (features.cooperative_matrix) features.matrices = subgroup_matrices(instance, device);
}

OptionalFeatures optional_features(const Instance& instance, const vk::raii::PhysicalDevice& device,
                                   const DeviceOptions& options) {
  const std::vector<vk::ExtensionProperties> extensions = BENCH_VK(device.enumerateDeviceExtensionProperties());
  const auto has = [&extensions](std::string_view name) { return has_extension(extensions, name); };
  // The feature structure that an extension defines; all false where the extension is missing.
  const auto ask = [&]<class Feature>(const char* extension, Feature none) {
    return has(extension) ? features_of<Feature>(device) : none;
  };
  OptionalFeatures features;
  const auto clocks = ask(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, vk::PhysicalDeviceShaderClockFeaturesKHR{});
  features.shader_device_clock = clocks.shaderDeviceClock;
  features.shader_subgroup_clock = clocks.shaderSubgroupClock;
  features.sm_builtins =
      ask(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV{}).shaderSMBuiltins;
  features.pipeline_executable_info = options.inspect && ask(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
                                                             vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR{})
                                                             .pipelineExecutableInfo;
  features.memory_budget = has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  features.binary_import = has(VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  features.push_descriptors = has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  features.descriptor_buffer =
      ask(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, vk::PhysicalDeviceDescriptorBufferFeaturesEXT{}).descriptorBuffer;
  features.pipeline_robustness =
      options.vulkan.pipeline_robustness &&
      ask(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME, vk::PhysicalDevicePipelineRobustnessFeaturesEXT{}).pipelineRobustness;
  features.global_priority = has(VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME);
  features.sparse_binding = options.vulkan.sparse_binding && device.getFeatures().sparseBinding;
  features.robustness2 =
      ask(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, vk::PhysicalDeviceRobustness2FeaturesEXT{}).robustBufferAccess2;
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  features.full_subgroups = features_of<vk::PhysicalDeviceVulkan13Features>(device).computeFullSubgroups;
  features.subgroup_rotate = ask_newer(device, extensions, kSubgroupRotate, SubgroupRotateFeatures{}).rotate != 0;
  features.vulkan_memory_model = vulkan12.vulkanMemoryModel;
  features.vulkan_memory_model_device_scope = vulkan12.vulkanMemoryModelDeviceScope;
  if (options.vulkan.atomics || options.vulkan.matrix_units) {
    features.float64 = device.getFeatures().shaderFloat64;
    features.float16 =
        vulkan12.shaderFloat16 && features_of<vk::PhysicalDeviceVulkan11Features>(device).storageBuffer16BitAccess;
  }
  if (options.vulkan.atomics) {
    features.shader_int64 = device.getFeatures().shaderInt64;
    features.int64_atomics = vulkan12.shaderBufferInt64Atomics && vulkan12.shaderSharedInt64Atomics;
    const auto floats = ask(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT{});
    features.float32_atomics = floats.shaderBufferFloat32Atomics && floats.shaderSharedFloat32Atomics;
    features.float32_atomic_add = floats.shaderBufferFloat32AtomicAdd && floats.shaderSharedFloat32AtomicAdd;
    features.float64_atomics = floats.shaderBufferFloat64Atomics && floats.shaderSharedFloat64Atomics;
    features.float64_atomic_add = floats.shaderBufferFloat64AtomicAdd && floats.shaderSharedFloat64AtomicAdd;
    features.float16_vector_atomics =
        ask_newer(device, extensions, kFloat16VectorAtomics, Float16VectorAtomicsFeatures{}).atomics != 0;
  }
  features.bindless = vulkan12.runtimeDescriptorArray && vulkan12.descriptorBindingPartiallyBound &&
                      vulkan12.descriptorBindingStorageBufferUpdateAfterBind;
  if (has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
    using External = vk::ExternalMemoryFeatureFlagBits;
    const vk::ExternalMemoryFeatureFlags offered =
        device.getExternalBufferProperties({.usage = kDeviceUsage, .handleType = kSharedHandle})
            .externalMemoryProperties.externalMemoryFeatures;
    features.export_memory = static_cast<bool>(offered & External::eExportable);
    features.import_memory = static_cast<bool>(offered & External::eImportable);
    features.import_undedicated = features.import_memory && !(offered & External::eDedicatedOnly);
  }
  if (options.vulkan.matrix_units) find_matrix_units(instance, device, extensions, features);
  return features;
}

vk::raii::Device create_device(const vk::raii::PhysicalDevice& physical_device, const QueuePlan& queue_plan,
                               const VulkanChoice& choice, const OptionalFeatures& features) {
  // robustBufferAccess stays off: its bounds checks would be part of what is timed.
  vk::PhysicalDeviceVulkan12Features vulkan12{.storageBuffer8BitAccess = features.int8,
                                              .shaderBufferInt64Atomics = features.int64_atomics,
                                              .shaderSharedInt64Atomics = features.int64_atomics,
                                              .shaderFloat16 = features.float16,
                                              .shaderInt8 = features.int8,
                                              .descriptorBindingStorageBufferUpdateAfterBind = features.bindless,
                                              .descriptorBindingPartiallyBound = features.bindless,
                                              .runtimeDescriptorArray = features.bindless,
                                              .scalarBlockLayout = true,
                                              .timelineSemaphore = choice.timeline,
                                              .bufferDeviceAddress = true,
                                              .vulkanMemoryModel = features.vulkan_memory_model,
                                              .vulkanMemoryModelDeviceScope = features.vulkan_memory_model_device_scope};
  vk::PhysicalDeviceVulkan13Features vulkan13{.pNext = &vulkan12,
                                              .subgroupSizeControl = true,
                                              .computeFullSubgroups = features.full_subgroups,
                                              .synchronization2 = true,
                                              .shaderIntegerDotProduct = features.integer_dot_product,
                                              .maintenance4 = true};
  void* next = &vulkan13;
  std::vector<const char*> extensions;
  const auto enable = [&](bool present, auto& feature, const char* extension) {
    if (present) {
      feature.pNext = next;
      next = &feature;
      extensions.push_back(extension);
    }
  };
  vk::PhysicalDeviceShaderClockFeaturesKHR clock{.shaderSubgroupClock = features.shader_subgroup_clock,
                                                 .shaderDeviceClock = features.shader_device_clock};
  enable(features.shader_device_clock || features.shader_subgroup_clock, clock, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
  vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV sm_builtins{.shaderSMBuiltins = true};
  enable(features.sm_builtins, sm_builtins, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
  vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{.pipelineExecutableInfo = true};
  enable(features.pipeline_executable_info, executables, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
  vk::PhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer{.descriptorBuffer = true};
  enable(features.descriptor_buffer, descriptor_buffer, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  vk::PhysicalDevicePipelineRobustnessFeaturesEXT robustness{.pipelineRobustness = true};
  enable(features.pipeline_robustness, robustness, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  vk::PhysicalDevice16BitStorageFeatures storage16{.storageBuffer16BitAccess = true};
  if (features.float16) {
    storage16.pNext = next;
    next = &storage16;
  }
  const auto enable_newer = [&](bool present, ChainHead& head, const char* extension) {
    if (!present) return;
    head.next = next;
    next = &head;
    extensions.push_back(extension);
  };
  CooperativeMatrixFeatures matrix{.matrix = 1};
  enable_newer(features.cooperative_matrix, matrix.head, kCooperativeMatrix);
  CooperativeMatrix2Features matrix2{.workgroup_scope = 1, .flexible_dimensions = 1, .tensor_addressing = 1};
  enable_newer(features.workgroup_matrix, matrix2.head, kCooperativeMatrix2);
  Bfloat16Features bfloat16{.type = 1, .cooperative_matrix = 1};
  enable_newer(features.bfloat16_matrix, bfloat16.head, kBfloat16);
  Float8Features float8{.type = 1, .cooperative_matrix = 1};
  enable_newer(features.float8_matrix, float8.head, kFloat8);
  Float16VectorAtomicsFeatures halves{.atomics = 1};
  enable_newer(features.float16_vector_atomics, halves.head, kFloat16VectorAtomics);
  SubgroupRotateFeatures rotate{.rotate = 1};
  enable_newer(features.subgroup_rotate, rotate.head, kSubgroupRotate);
  vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT floats{.shaderBufferFloat32Atomics = features.float32_atomics,
                                                        .shaderBufferFloat32AtomicAdd = features.float32_atomic_add,
                                                        .shaderBufferFloat64Atomics = features.float64_atomics,
                                                        .shaderBufferFloat64AtomicAdd = features.float64_atomic_add,
                                                        .shaderSharedFloat32Atomics = features.float32_atomics,
                                                        .shaderSharedFloat32AtomicAdd = features.float32_atomic_add,
                                                        .shaderSharedFloat64Atomics = features.float64_atomics,
                                                        .shaderSharedFloat64AtomicAdd = features.float64_atomic_add};
  enable(features.float32_atomics || features.float64_atomics, floats, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  const auto enable_name = [&](bool present, const char* extension) {
    if (present) extensions.push_back(extension);
  };
  const bool has_priority = choice.priority != QueuePriority::kDefault;
  enable_name(features.push_descriptors, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  enable_name(features.binary_import, VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  enable_name(features.export_memory || features.import_memory, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  enable_name(has_priority, VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME);

  std::vector<float> priorities(queue_plan.compute_queues, choice.ranked_queues ? 0.0F : 1.0F);
  priorities.back() = 1;
  const vk::DeviceQueueGlobalPriorityCreateInfoKHR global_priority{.globalPriority = choice.priority == QueuePriority::kLow
                                                                                         ? vk::QueueGlobalPriorityKHR::eLow
                                                                                         : vk::QueueGlobalPriorityKHR::eHigh};
  std::vector<vk::DeviceQueueCreateInfo> queues = {{.pNext = has_priority ? &global_priority : nullptr,
                                                    .queueFamilyIndex = queue_plan.compute_family,
                                                    .queueCount = queue_plan.compute_queues,
                                                    .pQueuePriorities = priorities.data()}};
  for (const std::optional<std::uint32_t> family : {queue_plan.transfer_family, queue_plan.graphics_family}) {
    if (family) queues.push_back({.queueFamilyIndex = *family, .queueCount = 1, .pQueuePriorities = priorities.data()});
  }
  const vk::PhysicalDeviceFeatures core{
      .shaderFloat64 = features.float64, .shaderInt64 = features.shader_int64, .sparseBinding = features.sparse_binding};
  const vk::DeviceCreateInfo info{
      .pNext = next,
      .queueCreateInfoCount = static_cast<std::uint32_t>(queues.size()),
      .pQueueCreateInfos = queues.data(),
      .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
      .ppEnabledExtensionNames = extensions.data(),
      .pEnabledFeatures = &core,
  };
  return BENCH_VK(physical_device.createDevice(info), "queue family {}, {} extensions", queue_plan.compute_family,
                  extensions.size());
}

}  // namespace

Context::Context(const DeviceInfo& info, const DeviceOptions& options)
    : info_(info),
      instance_(options.validate, options.labels),
      physical_device_(find_device(instance_, info)),
      limits_(physical_device_.getProperties().limits),
      device_(nullptr) {
  const DeviceFacts facts = facts_of(physical_device_);
  if (const std::vector<std::string> unmet = unmet_requirements(facts); !unmet.empty()) {
    throw Skip("{} lacks {}", info.name, fmt::join(unmet, "; "));
  }
  const auto family = choose_queue_family(facts, options.vulkan.queue);
  if (!family) {
    throw Skip("{} has no second queue family for compute, one with graphics, to compare with", info.name);
  }
  queue_family_ = *family;
  timestamp_valid_bits_ = facts.queue_families[queue_family_].timestamp_valid_bits;

  const auto vulkan11 = properties_of<vk::PhysicalDeviceVulkan11Properties>(physical_device_);
  const auto vulkan13 = properties_of<vk::PhysicalDeviceVulkan13Properties>(physical_device_);
  max_allocation_bytes_ = std::min(vulkan11.maxMemoryAllocationSize, vulkan13.maxBufferSize);
  subgroup_sizes_ = {
      .standard = vulkan11.subgroupSize,
      .can_require = (vulkan13.requiredSubgroupSizeStages & vk::ShaderStageFlagBits::eCompute) &&
                     vulkan11.subgroupSize >= vulkan13.minSubgroupSize && vulkan11.subgroupSize <= vulkan13.maxSubgroupSize,
      .max_per_workgroup = vulkan13.maxComputeWorkgroupSubgroups,
      .operations = vulkan11.subgroupSupportedOperations,
  };
  features_ = optional_features(instance_, physical_device_, options);
  if (options.vulkan.priority != QueuePriority::kDefault && !features_.global_priority)
    throw Skip("{} has queues of one priority (no VK_KHR_global_priority)", info.name);
  if (options.vulkan.sparse_binding && !(features_.sparse_binding && facts.queue_families[queue_family_].sparse_binding))
    throw Skip("{} does not bind pages by a compute queue (sparseBinding)", info.name);

  const QueuePlan plan = plan_queues(facts, queue_family_, options.vulkan);
  if (!plan.missing.empty()) throw Skip("{} lacks {}", info.name, plan.missing);
  device_ = create_device(physical_device_, plan, options.vulkan, features_);
  for (std::uint32_t i = 0; i < plan.compute_queues; ++i) queues_.push_back(device_.getQueue(queue_family_, i));
  const auto other = [&](std::optional<std::uint32_t> one) -> std::optional<OtherQueue> {
    if (!one) return {};
    return OtherQueue{*one, facts.queue_families[*one].timestamp_valid_bits, device_.getQueue(*one, 0)};
  };
  transfer_ = other(plan.transfer_family);
  graphics_ = other(plan.graphics_family);
}

const Context::OtherQueue& Context::transfer_queue() const {
  if (!transfer_) throw Error("a transfer queue without VulkanChoice::transfer_queue");
  return *transfer_;
}

const Context::OtherQueue& Context::graphics_queue() const {
  if (!graphics_) throw Error("a graphics queue without VulkanChoice::graphics_queue");
  return *graphics_;
}

std::vector<std::uint32_t> Context::queue_families() const {
  std::vector<std::uint32_t> families = {queue_family_};
  for (const std::optional<OtherQueue>* other : {&transfer_, &graphics_}) {
    if (*other) families.push_back((*other)->family);
  }
  return families;
}

std::uint32_t Context::group_size() const {
  const auto groups = BENCH_VK(instance_.handle().enumeratePhysicalDeviceGroups());
  for (const vk::PhysicalDeviceGroupProperties& group : groups) {
    const auto* end = group.physicalDevices.data() + group.physicalDeviceCount;
    if (std::find(group.physicalDevices.data(), end, *physical_device_) != end) return group.physicalDeviceCount;
  }
  return 1;  // every device is in exactly one group (Vulkan 1.3, vkEnumeratePhysicalDeviceGroups)
}

void Context::label(vk::ObjectType type, std::uint64_t handle, std::string_view name) const {
  if (complaints() == nullptr) {
    return;
  }
  const std::string terminated(name);
  const vk::DebugUtilsObjectNameInfoEXT info{.objectType = type, .objectHandle = handle, .pObjectName = terminated.c_str()};
  BENCH_VK(device_.setDebugUtilsObjectNameEXT(info));
}

}  // namespace bench::vulkan
