#include "vulkan/api/instance.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "core/base/environment.h"
#include "vulkan/api/identity.h"
#include "vulkan/api/requirements.h"

namespace bench::vulkan {

const char* const kNoDriverHint =
    "install the GPU vendor's Vulkan driver (in a container, the graphics driver files too: "
    "NVIDIA_DRIVER_CAPABILITIES=graphics "
    "or all), or mesa-vulkan-drivers for a software device; VK_LOADER_DEBUG=all shows where the loader looks";

void throw_failed_call(const char* file, int line, const char* call, const vk::SystemError& error, const std::string& details) {
  const auto code = static_cast<vk::Result>(error.code().value());
  const bool lost = code == vk::Result::eErrorDeviceLost;
  const bool out_of_memory = code == vk::Result::eErrorOutOfDeviceMemory || code == vk::Result::eErrorOutOfHostMemory;
  const char* hint = "";
  if (lost) {
    hint = "; the GPU faulted or was reset: the kernel log (dmesg, Xid) says why, and nothing more will run in this process";
  } else if (out_of_memory) {
    hint = "; try a smaller --size, or free the device of other programs";
  }
  const std::string message = fmt::format("{}:{}: {} failed: {} ({}){}{}{}", file, line, call, vk::to_string(code),
                                          static_cast<int>(code), details.empty() ? "" : ", ", details, hint);
  if (lost) throw DeviceLost("{}", message);
  if (out_of_memory) throw OutOfMemory(message);
  if (code == vk::Result::eErrorNotPermittedKHR) throw Skip("{}", message);  // of a queue's global priority alone
  throw Error(message);
}

void Complaints::add(std::string_view id, std::string_view message) {
  const std::lock_guard lock(mutex_);
  if (hazards_expected_ && id.starts_with("SYNC-HAZARD")) {
    return;
  }
  messages_.emplace_back(message);
}

std::vector<std::string> Complaints::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

std::size_t Complaints::count() const {
  const std::lock_guard lock(mutex_);
  return messages_.size();
}

void Complaints::expect_hazards(bool expected) {
  const std::lock_guard lock(mutex_);
  hazards_expected_ = expected;
}

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
// They choose or sort what vkEnumeratePhysicalDevices lists, and see nothing that is submitted.
constexpr std::array<std::string_view, 2> kSorting = {"VK_LAYER_MESA_device_select", "VK_LAYER_NV_optimus"};

std::atomic<std::size_t> instances_made = 0;

// The loader says which layers it inserts: Insert instance layer "NAME" (FILE). Source: loader.c, loader_create_instance_chain.
VKAPI_ATTR vk::Bool32 VKAPI_CALL on_layer(vk::DebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                                          vk::DebugUtilsMessageTypeFlagsEXT /*types*/,
                                          const vk::DebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  constexpr std::string_view kInsert = "Insert instance layer";
  const std::string_view message = data->pMessage != nullptr ? data->pMessage : "";
  if (!message.starts_with(kInsert)) return vk::False;
  std::string_view name = message.substr(kInsert.size());
  const auto quoted = name.find('"');
  if (quoted != std::string_view::npos) {
    name = name.substr(quoted + 1);
    name = name.substr(0, name.find('"'));
  } else {  // Insert instance layer NAME (FILE)
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    name = name.substr(0, name.find(' '));
  }
  static_cast<std::vector<std::string>*>(user_data)->emplace_back(name);
  return vk::False;
}

VKAPI_ATTR vk::Bool32 VKAPI_CALL on_message(vk::DebugUtilsMessageSeverityFlagBitsEXT /*severity*/,
                                            vk::DebugUtilsMessageTypeFlagsEXT /*types*/,
                                            const vk::DebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  static_cast<Complaints*>(user_data)->add(data->pMessageIdName != nullptr ? data->pMessageIdName : "", data->pMessage);
  return vk::False;
}

vk::raii::Context open_loader() {
  try {
    return vk::raii::Context();
  } catch (const std::runtime_error&) {  // Vulkan-Hpp's DynamicLoader has no code of its own
    throw Skip("no Vulkan loader (libvulkan.so.1) on this machine: install libvulkan1, and the GPU vendor's Vulkan driver");
  }
}

vk::DebugUtilsMessengerCreateInfoEXT messenger_info(Complaints* complaints) {
  using Severity = vk::DebugUtilsMessageSeverityFlagBitsEXT;
  using Type = vk::DebugUtilsMessageTypeFlagBitsEXT;
  return {
      .messageSeverity = Severity::eWarning | Severity::eError,
      .messageType = Type::eValidation | Type::ePerformance,
      .pfnUserCallback = on_message,
      .pUserData = complaints,
  };
}

// A loader that cannot read a driver's manifest fails here, too. What is wrong is said where the instance is made.
bool loader_has(const vk::raii::Context& loader, const char* extension) {
  try {
    return has_extension(loader.enumerateInstanceExtensionProperties(), extension);
  } catch (const vk::SystemError&) {
    return false;
  }
}

// Throws what Vulkan-Hpp throws.
vk::raii::Instance make_instance(const vk::raii::Context& loader, const void* next, const std::vector<const char*>& layers,
                                 std::vector<const char*> extensions) {
  const vk::ApplicationInfo application{.pApplicationName = "cuda_vulkan_bench", .apiVersion = VK_API_VERSION_1_3};
  vk::InstanceCreateFlags flags;
  // Drivers that lack parts of Vulkan, as those over Metal do, are shown to those alone who ask for them, by an extension, too.
  if (loader_has(loader, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    flags = vk::InstanceCreateFlagBits::eEnumeratePortabilityKHR;
  }
  const vk::InstanceCreateInfo info{
      .pNext = next,
      .flags = flags,
      .pApplicationInfo = &application,
      .enabledLayerCount = static_cast<std::uint32_t>(layers.size()),
      .ppEnabledLayerNames = layers.data(),
      .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
      .ppEnabledExtensionNames = extensions.data(),
  };
  ++instances_made;
  return vk::raii::Instance(loader, info);
}

// `complaints` is nullptr without validation.
vk::raii::Instance create_instance(const vk::raii::Context& loader, Complaints* complaints, bool can_label) {
  std::vector<const char*> layers;
  std::vector<const char*> extensions;

  const auto synchronization = vk::ValidationFeatureEnableEXT::eSynchronizationValidation;
  const vk::DebugUtilsMessengerCreateInfoEXT messenger = messenger_info(complaints);  // for the instance's own creation
  const vk::ValidationFeaturesEXT validation{
      .pNext = &messenger, .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = &synchronization};

  if (complaints != nullptr) {
    const std::vector<vk::LayerProperties> installed = BENCH_VK(loader.enumerateInstanceLayerProperties());
    if (std::ranges::none_of(installed,
                             [](const auto& layer) { return std::string_view(layer.layerName.data()) == kValidationLayer; })) {
      throw Error("{} is not installed: apt-get install vulkan-validationlayers, or run without validation", kValidationLayer);
    }
    layers.push_back(kValidationLayer);
    extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  }
  if (can_label) {
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  }
  try {
    return make_instance(loader, complaints != nullptr ? &validation : nullptr, layers, extensions);
  } catch (const vk::IncompatibleDriverError&) {
    throw Skip("the Vulkan loader found no driver (ICD): {}", kNoDriverHint);
  } catch (const vk::SystemError& error) {
    // The loader says ErrorOutOfHostMemory of a manifest that it cannot parse, too.
    throw Error(
        "vkCreateInstance: {} ({}): a Vulkan driver or layer is there and does not load, perhaps for a damaged manifest",
        vk::to_string(static_cast<vk::Result>(error.code().value())), error.code().value());
  }
}

DeviceInfo describe(const vk::raii::PhysicalDevice& device, int index) {
  const auto chain =
      device.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceIDProperties, vk::PhysicalDeviceDriverProperties,
                            vk::PhysicalDeviceMaintenance3Properties, vk::PhysicalDeviceMaintenance4Properties,
                            vk::PhysicalDeviceSubgroupProperties, vk::PhysicalDeviceSubgroupSizeControlProperties>();
  const vk::PhysicalDeviceProperties& properties = chain.get<vk::PhysicalDeviceProperties2>().properties;
  const vk::PhysicalDeviceLimits& limits = properties.limits;

  DeviceInfo info;
  info.api = kApi;
  info.toolkit = glsl_toolkit();
  info.index = index;
  info.name = properties.deviceName.data();
  Uuid uuid;
  std::ranges::copy(chain.get<vk::PhysicalDeviceIDProperties>().deviceUUID, uuid.begin());
  if (uuid != Uuid{}) {
    info.uuid = uuid;
  }
  info.is_cpu = properties.deviceType == vk::PhysicalDeviceType::eCpu;
  info.driver = chain.get<vk::PhysicalDeviceDriverProperties>().driverInfo.data();

  const vk::PhysicalDeviceMemoryProperties memory = device.getMemoryProperties();
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal) {
      info.memory_bytes = std::max<std::uint64_t>(info.memory_bytes, memory.memoryHeaps[i].size);
    }
  }

  // The smallest of three limits; a device older than an extension leaves its field 0.
  info.max_buffer_bytes = limits.maxStorageBufferRange;
  for (const std::uint64_t limit : {chain.get<vk::PhysicalDeviceMaintenance3Properties>().maxMemoryAllocationSize,
                                    chain.get<vk::PhysicalDeviceMaintenance4Properties>().maxBufferSize}) {
    if (limit != 0) {
      info.max_buffer_bytes = std::min(info.max_buffer_bytes, limit);
    }
  }
  info.max_grid_x = limits.maxComputeWorkGroupCount[0];
  info.max_block_x = std::min(limits.maxComputeWorkGroupSize[0], limits.maxComputeWorkGroupInvocations);
  const auto& sizes = chain.get<vk::PhysicalDeviceSubgroupSizeControlProperties>();
  info.subgroup_size = choose_subgroup_size(
      chain.get<vk::PhysicalDeviceSubgroupProperties>().subgroupSize, sizes.minSubgroupSize, sizes.maxSubgroupSize,
      static_cast<bool>(sizes.requiredSubgroupSizeStages & vk::ShaderStageFlagBits::eCompute));
  info.is_integrated = properties.deviceType == vk::PhysicalDeviceType::eIntegratedGpu;
  const vk::DriverId driver = chain.get<vk::PhysicalDeviceDriverProperties>().driverID;
  info.is_translated = driver == vk::DriverId::eMesaDozen || driver == vk::DriverId::eMoltenvk;
  info.vendor_id = properties.vendorID;
  info.device_id = properties.deviceID;
  // RDNA2's and RDNA3's has 20 bits ("RDNA3" Instruction Set Architecture, SHADER_CYCLES), and no property of Vulkan's tells.
  info.counts_cycles = info.vendor_id != kAmd;
  const std::vector<vk::ExtensionProperties> extensions = BENCH_VK(device.enumerateDeviceExtensionProperties());
  if (has_extension(extensions, VK_MSFT_LAYERED_DRIVER_EXTENSION_NAME)) {
    const auto layered = properties_of<vk::PhysicalDeviceLayeredDriverPropertiesMSFT>(device);
    info.is_translated = info.is_translated || layered.underlyingAPI != vk::LayeredDriverUnderlyingApiMSFT::eNone;
  }
  // The specification leaves the unit of clockRealtimeEXT open; NVIDIA, AMD and Mesa read the clock of the timestamps.
  if (has_extension(extensions, VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) {
    info.realtime_tick_ns = static_cast<double>(limits.timestampPeriod);
  }
  if (has_extension(extensions, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    const auto builtins = properties_of<vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV>(device);
    info.multiprocessors = builtins.shaderSMCount;
    info.resident_threads = builtins.shaderWarpsPerSM * info.subgroup_size;
  } else if (has_extension(extensions, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    const bool has_active = has_extension(extensions, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME);
    const auto cores = properties_of<vk::PhysicalDeviceShaderCorePropertiesAMD>(device);
    vk::PhysicalDeviceShaderCoreProperties2AMD active;
    if (has_active) active = properties_of<vk::PhysicalDeviceShaderCoreProperties2AMD>(device);
    // Without the second extension, what was cut off is counted, too.
    info.multiprocessors = active.activeComputeUnitCount != 0
                               ? active.activeComputeUnitCount
                               : cores.shaderEngineCount * cores.shaderArraysPerEngineCount * cores.computeUnitsPerShaderArray;
    info.resident_threads =
        cores.simdPerComputeUnit * cores.wavefrontsPerSimd * std::min(info.subgroup_size, cores.wavefrontSize);
  }
  return info;
}

}  // namespace

bool has_extension(std::span<const vk::ExtensionProperties> offered, std::string_view name) {
  return std::ranges::any_of(offered, [name](const auto& extension) { return name == extension.extensionName.data(); });
}

Instance::Instance(bool validate, bool labels)
    : loader_(open_loader()),
      complaints_(validate ? std::make_unique<Complaints>() : nullptr),
      can_label_(validate || (labels && loader_has(loader_, VK_EXT_DEBUG_UTILS_EXTENSION_NAME))),
      instance_(create_instance(loader_, complaints_.get(), can_label_)) {
  if (validate) {
    messenger_ = BENCH_VK(instance_.createDebugUtilsMessengerEXT(messenger_info(complaints_.get())));
  }
}

std::size_t Instance::made() { return instances_made; }

std::vector<std::string> Instance::foreign_layers() const {
  const std::vector<vk::LayerProperties> installed = BENCH_VK(loader_.enumerateInstanceLayerProperties());
  const auto may_disturb = [](const vk::LayerProperties& layer) {
    return std::ranges::count(kSorting, std::string_view(layer.layerName.data())) == 0;
  };
  if (std::ranges::none_of(installed, may_disturb)) return {};
  if (!loader_has(loader_, VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) return {};
  // An instance of its own: what is timed runs without a messenger.
  std::vector<std::string> inserted;
  const vk::DebugUtilsMessengerCreateInfoEXT messenger{
      .messageSeverity = vk::DebugUtilsMessageSeverityFlagBitsEXT::eInfo,
      .messageType = vk::DebugUtilsMessageTypeFlagBitsEXT::eGeneral,
      .pfnUserCallback = on_layer,
      .pUserData = &inserted,
  };
  BENCH_VK(make_instance(loader_, &messenger, {}, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}));
  std::erase_if(inserted, [](const std::string& name) { return std::ranges::count(kSorting, std::string_view(name)) != 0; });
  return inserted;
}

std::vector<DeviceInfo> Instance::list() const {
  std::vector<DeviceInfo> devices;
  for (const vk::raii::PhysicalDevice& device : BENCH_VK(instance_.enumeratePhysicalDevices())) {
    devices.push_back(describe(device, static_cast<int>(devices.size())));
  }
  return devices;
}

}  // namespace bench::vulkan
