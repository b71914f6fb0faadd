#include "vulkan/context.h"

#include <algorithm>
#include <string>

#include "vulkan/buffer.h"
#include "vulkan/requirements.h"

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
  const auto features =
      device
          .getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDeviceVulkan12Features, vk::PhysicalDeviceVulkan13Features>();
  const auto& vulkan12 = features.get<vk::PhysicalDeviceVulkan12Features>();
  const auto& vulkan13 = features.get<vk::PhysicalDeviceVulkan13Features>();
  const auto chain = device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceSubgroupProperties>();
  const vk::PhysicalDeviceProperties& properties = chain.get<vk::PhysicalDeviceProperties2>().properties;
  const auto& subgroup = chain.get<vk::PhysicalDeviceSubgroupProperties>();

  DeviceFacts facts;
  facts.api_major = VK_API_VERSION_MAJOR(properties.apiVersion);
  facts.api_minor = VK_API_VERSION_MINOR(properties.apiVersion);
  for (const vk::QueueFamilyProperties& family : device.getQueueFamilyProperties()) {
    facts.queue_families.push_back({.compute = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eCompute),
                                    .graphics = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eGraphics),
                                    .sparse_binding = static_cast<bool>(family.queueFlags & vk::QueueFlagBits::eSparseBinding),
                                    .timestamp_valid_bits = family.timestampValidBits});
  }
  facts.timestamp_period = properties.limits.timestampPeriod;
  facts.synchronization2 = vulkan13.synchronization2;
  facts.maintenance4 = vulkan13.maintenance4;
  facts.subgroup_size_control = vulkan13.subgroupSizeControl;
  facts.buffer_device_address = vulkan12.bufferDeviceAddress;
  facts.scalar_block_layout = vulkan12.scalarBlockLayout;
  facts.subgroup_arithmetic_in_compute = (subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute) &&
                                         (subgroup.supportedOperations & vk::SubgroupFeatureFlagBits::eArithmetic);
  return facts;
}

OptionalFeatures optional_features(const vk::raii::PhysicalDevice& device, const DeviceOptions& options) {
  const std::vector<vk::ExtensionProperties> extensions = BENCH_VK(device.enumerateDeviceExtensionProperties());
  const auto has = [&extensions](std::string_view name) { return has_extension(extensions, name); };
  // The feature structure that an extension defines; all false where the extension is missing.
  const auto ask = [&]<class Feature>(const char* extension, Feature none) {
    return has(extension) ? device.getFeatures2<vk::PhysicalDeviceFeatures2, Feature>().template get<Feature>() : none;
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
  const auto vulkan12 = device.getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDeviceVulkan12Features>()
                            .get<vk::PhysicalDeviceVulkan12Features>();
  features.vulkan_memory_model = vulkan12.vulkanMemoryModel;
  features.vulkan_memory_model_device_scope = vulkan12.vulkanMemoryModelDeviceScope;
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
  return features;
}

vk::raii::Device create_device(const vk::raii::PhysicalDevice& physical_device, std::uint32_t queue_family,
                               QueuePriority queue_priority, const OptionalFeatures& features) {
  // robustBufferAccess stays off: its bounds checks would be part of what is timed.
  vk::PhysicalDeviceVulkan12Features vulkan12{.descriptorBindingStorageBufferUpdateAfterBind = features.bindless,
                                              .descriptorBindingPartiallyBound = features.bindless,
                                              .runtimeDescriptorArray = features.bindless,
                                              .scalarBlockLayout = true,
                                              .bufferDeviceAddress = true,
                                              .vulkanMemoryModel = features.vulkan_memory_model,
                                              .vulkanMemoryModelDeviceScope = features.vulkan_memory_model_device_scope};
  vk::PhysicalDeviceVulkan13Features vulkan13{
      .pNext = &vulkan12, .subgroupSizeControl = true, .synchronization2 = true, .maintenance4 = true};
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
  if (features.push_descriptors) {
    extensions.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  }
  if (features.binary_import) {
    extensions.push_back(VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  }

  if (features.export_memory || features.import_memory) {
    extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }

  const float priority = 1;
  const vk::DeviceQueueGlobalPriorityCreateInfoKHR global_priority{.globalPriority = queue_priority == QueuePriority::kLow
                                                                                         ? vk::QueueGlobalPriorityKHR::eLow
                                                                                         : vk::QueueGlobalPriorityKHR::eHigh};
  const bool has_priority = queue_priority != QueuePriority::kDefault;
  if (has_priority) extensions.push_back(VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME);
  const vk::DeviceQueueCreateInfo queue{.pNext = has_priority ? &global_priority : nullptr,
                                        .queueFamilyIndex = queue_family,
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
  const vk::PhysicalDeviceFeatures core{.sparseBinding = features.sparse_binding};
  const vk::DeviceCreateInfo info{
      .pNext = next,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queue,
      .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
      .ppEnabledExtensionNames = extensions.data(),
      .pEnabledFeatures = &core,
  };
  return BENCH_VK(physical_device.createDevice(info), "queue family {}, {} extensions", queue_family, extensions.size());
}

}  // namespace

Context::Context(const DeviceInfo& info, const DeviceOptions& options)
    : info_(info),
      instance_(options.validate, options.labels),
      physical_device_(find_device(instance_, info)),
      limits_(physical_device_.getProperties().limits),
      memory_(physical_device_.getMemoryProperties()),
      device_(nullptr),
      queue_(nullptr) {
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

  const auto chain = physical_device_.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceVulkan11Properties,
                                                     vk::PhysicalDeviceVulkan13Properties>();
  const auto& vulkan11 = chain.get<vk::PhysicalDeviceVulkan11Properties>();
  const auto& vulkan13 = chain.get<vk::PhysicalDeviceVulkan13Properties>();
  max_allocation_bytes_ = std::min(vulkan11.maxMemoryAllocationSize, vulkan13.maxBufferSize);
  subgroup_sizes_ = {
      .standard = vulkan11.subgroupSize,
      .can_require = (vulkan13.requiredSubgroupSizeStages & vk::ShaderStageFlagBits::eCompute) &&
                     vulkan11.subgroupSize >= vulkan13.minSubgroupSize && vulkan11.subgroupSize <= vulkan13.maxSubgroupSize,
      .max_per_workgroup = vulkan13.maxComputeWorkgroupSubgroups,
  };
  features_ = optional_features(physical_device_, options);
  if (options.vulkan.priority != QueuePriority::kDefault && !features_.global_priority)
    throw Skip("{} has queues of one priority (no VK_KHR_global_priority)", info.name);
  if (options.vulkan.sparse_binding && !(features_.sparse_binding && facts.queue_families[queue_family_].sparse_binding))
    throw Skip("{} does not bind pages by a compute queue (sparseBinding)", info.name);

  device_ = create_device(physical_device_, queue_family_, options.vulkan.priority, features_);
  queue_ = device_.getQueue(queue_family_, 0);
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
