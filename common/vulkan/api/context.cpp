#include "vulkan/api/context.h"

#include <algorithm>
#include <bit>
#include <string>

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
  facts.memory_types = device.getMemoryProperties().memoryTypeCount;
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

// By the names that KernelSpec::matrix uses; "" for one that no kernel here has.
std::string_view component_name(vk::ComponentTypeKHR type) {
  using Type = vk::ComponentTypeKHR;
  constexpr std::pair<Type, std::string_view> kNames[] = {{Type::eFloat16, "f16"},   {Type::eFloat32, "f32"},
                                                          {Type::eSint8, "s8"},      {Type::eSint32, "s32"},
                                                          {Type::eBfloat16, "bf16"}, {Type::eFloat8E4M3EXT, "e4m3"}};
  const auto found = std::ranges::find(kNames, type, &std::pair<Type, std::string_view>::first);
  return found == std::end(kNames) ? "" : found->second;
}

// Whether kernels here can have such matrices of a scope: "f16 f32", their elements and their sums; "" if not.
template <class Properties>
std::string matrix_types(const Properties& one, vk::ScopeKHR scope) {
  const std::string_view elements = component_name(one.AType);
  const std::string_view sums = component_name(one.CType);
  const bool are_known = !elements.empty() && !sums.empty() && one.AType == one.BType && one.CType == one.ResultType;
  return are_known && one.scope == scope && !one.saturatingAccumulation ? fmt::format("{} {}", elements, sums) : "";
}

std::set<std::string> subgroup_matrices(const vk::raii::PhysicalDevice& device) {
  std::set<std::string> result;
  for (const vk::CooperativeMatrixPropertiesKHR& one : BENCH_VK(device.getCooperativeMatrixPropertiesKHR())) {
    const std::string types = matrix_types(one, vk::ScopeKHR::eSubgroup);
    if (!types.empty()) result.insert(fmt::format("{}x{}x{} {}", one.MSize, one.NSize, one.KSize, types));
  }
  return result;
}

std::vector<FlexibleMatrix> workgroup_matrices(const vk::raii::PhysicalDevice& device) {
  std::vector<FlexibleMatrix> result;
  for (const vk::CooperativeMatrixFlexibleDimensionsPropertiesNV& one :
       BENCH_VK(device.getCooperativeMatrixFlexibleDimensionsPropertiesNV())) {
    const std::string types = matrix_types(one, vk::ScopeKHR::eWorkgroup);
    if (!types.empty())
      result.push_back({one.MGranularity, one.NGranularity, one.KGranularity, types, one.workgroupInvocations});
  }
  return result;
}

// The feature structure that an extension defines; all false where the extension is missing.
template <class Feature>
Feature ask(const vk::raii::PhysicalDevice& device, const std::vector<vk::ExtensionProperties>& extensions,
            const char* extension) {
  return has_extension(extensions, extension) ? features_of<Feature>(device) : Feature{};
}

// Whether a kernel declares one of SPIR-V's capabilities.
bool declares(const VulkanChoice& choice, std::initializer_list<std::uint32_t> any_of) {
  return std::ranges::any_of(any_of, [&](std::uint32_t one) { return std::ranges::count(choice.capabilities, one) != 0; });
}

// What OptionalFeatures has by VulkanChoice::capabilities alone.
void find_declared(const vk::raii::PhysicalDevice& device, const std::vector<vk::ExtensionProperties>& extensions,
                   const VulkanChoice& choice, OptionalFeatures& features) {
  const auto vulkan11 = features_of<vk::PhysicalDeviceVulkan11Features>(device);
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  using Layouts = vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR;
  const auto layouts = ask<Layouts>(device, extensions, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
  using Floats = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT;
  const auto floats = ask<Floats>(device, extensions, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  features.int16 = declares(choice, {22}) && device.getFeatures().shaderInt16;
  features.uniform16 = declares(choice, {4434}) && vulkan11.uniformAndStorageBuffer16BitAccess;
  features.push16 = declares(choice, {4435}) && vulkan11.storagePushConstant16;
  features.uniform8 = declares(choice, {4449}) && vulkan12.uniformAndStorageBuffer8BitAccess;
  features.push8 = declares(choice, {4450}) && vulkan12.storagePushConstant8;
  features.variable_pointers_buffer = declares(choice, {4441, 4442}) && vulkan11.variablePointersStorageBuffer;
  features.variable_pointers = declares(choice, {4442}) && vulkan11.variablePointers;
  features.workgroup_layout = declares(choice, {4428, 4429, 4430}) && layouts.workgroupMemoryExplicitLayout;
  features.workgroup_layout8 = declares(choice, {4429}) && layouts.workgroupMemoryExplicitLayout8BitAccess;
  features.workgroup_layout16 = declares(choice, {4430}) && layouts.workgroupMemoryExplicitLayout16BitAccess;
  features.float32_atomic_min_max =
      declares(choice, {5612}) && floats.shaderBufferFloat32AtomicMinMax && floats.shaderSharedFloat32AtomicMinMax;
}

void find_matrix_units(const vk::raii::PhysicalDevice& device, const std::vector<vk::ExtensionProperties>& extensions,
                       OptionalFeatures& features) {
  using Matrix = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR;
  using Matrix2 = vk::PhysicalDeviceCooperativeMatrix2FeaturesNV;
  using Bfloat16 = vk::PhysicalDeviceShaderBfloat16FeaturesKHR;
  using Float8 = vk::PhysicalDeviceShaderFloat8FeaturesEXT;
  const auto matrix = ask<Matrix>(device, extensions, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  const auto matrix2 = ask<Matrix2>(device, extensions, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
  const auto bfloat16 = ask<Bfloat16>(device, extensions, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME);
  const auto float8 = ask<Float8>(device, extensions, VK_EXT_SHADER_FLOAT8_EXTENSION_NAME);
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  features.int8 = vulkan12.shaderInt8 && vulkan12.storageBuffer8BitAccess;
  features.integer_dot_product = features_of<vk::PhysicalDeviceVulkan13Features>(device).shaderIntegerDotProduct;
  features.cooperative_matrix = matrix.cooperativeMatrix;
  features.workgroup_matrix = features.cooperative_matrix && matrix2.cooperativeMatrixWorkgroupScope &&
                              matrix2.cooperativeMatrixFlexibleDimensions && matrix2.cooperativeMatrixTensorAddressing;
  features.bfloat16_matrix = bfloat16.shaderBFloat16Type && bfloat16.shaderBFloat16CooperativeMatrix;
  features.float8_matrix = float8.shaderFloat8 && float8.shaderFloat8CooperativeMatrix;
  if (features.cooperative_matrix) features.matrices = subgroup_matrices(device);
  if (features.workgroup_matrix) features.workgroup_matrices = workgroup_matrices(device);
}

OptionalFeatures optional_features(const vk::raii::PhysicalDevice& device, const DeviceOptions& options) {
  const std::vector<vk::ExtensionProperties> extensions = BENCH_VK(device.enumerateDeviceExtensionProperties());
  const auto has = [&extensions](std::string_view name) { return has_extension(extensions, name); };
  const auto features_by = [&]<class Feature>(const char* extension, Feature /*none*/) {
    return ask<Feature>(device, extensions, extension);
  };
  OptionalFeatures features;
  const auto clocks = features_by(VK_KHR_SHADER_CLOCK_EXTENSION_NAME, vk::PhysicalDeviceShaderClockFeaturesKHR{});
  features.shader_device_clock = clocks.shaderDeviceClock;
  features.shader_subgroup_clock = clocks.shaderSubgroupClock;
  features.sm_builtins =
      features_by(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV{}).shaderSMBuiltins;
  features.pipeline_executable_info =
      options.inspect && features_by(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
                                     vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR{})
                             .pipelineExecutableInfo;
  features.portability_subset = has(kPortabilitySubset);
  features.memory_budget = has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  features.binary_import = has(VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  features.push_descriptors = has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  features.descriptor_buffer =
      features_by(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, vk::PhysicalDeviceDescriptorBufferFeaturesEXT{}).descriptorBuffer;
  features.pipeline_robustness =
      options.vulkan.pipeline_robustness &&
      features_by(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME, vk::PhysicalDevicePipelineRobustnessFeaturesEXT{})
          .pipelineRobustness;
  features.global_priority = has(VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME);
  features.host_pointers = options.vulkan.host_pointers && has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  features.timeline = options.vulkan.timeline;  // which every device of Vulkan 1.2 has
  features.conditional_rendering =
      options.vulkan.conditional_rendering &&
      features_by(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME, vk::PhysicalDeviceConditionalRenderingFeaturesEXT{})
          .conditionalRendering;
  // Its buffers have a usage that VK_KHR_maintenance5 makes room for.
  features.generated_commands =
      options.vulkan.generated_commands &&
      features_by(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME, vk::PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT{})
          .deviceGeneratedCommands &&
      features_by(VK_KHR_MAINTENANCE_5_EXTENSION_NAME, vk::PhysicalDeviceMaintenance5FeaturesKHR{}).maintenance5;
  if (options.vulkan.reconvergence) {
    using Uniform = vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR;
    using Maximal = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR;
    features.uniform_control_flow =
        features_by(VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME, Uniform{}).shaderSubgroupUniformControlFlow;
    features.maximal_reconvergence =
        features_by(VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME, Maximal{}).shaderMaximalReconvergence;
  }
  features.sparse_binding = options.vulkan.sparse_binding && device.getFeatures().sparseBinding;
  features.robustness2 =
      features_by(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, vk::PhysicalDeviceRobustness2FeaturesEXT{}).robustBufferAccess2;
  const auto vulkan12 = features_of<vk::PhysicalDeviceVulkan12Features>(device);
  features.full_subgroups = features_of<vk::PhysicalDeviceVulkan13Features>(device).computeFullSubgroups;
  features.subgroup_rotate =
      features_by(VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME, vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR{})
          .shaderSubgroupRotate;
  features.vulkan_memory_model = vulkan12.vulkanMemoryModel;
  features.vulkan_memory_model_device_scope = vulkan12.vulkanMemoryModelDeviceScope;
  const VulkanChoice& choice = options.vulkan;
  if (choice.atomics || choice.matrix_units || declares(choice, {10})) features.float64 = device.getFeatures().shaderFloat64;
  if (choice.atomics || choice.matrix_units || declares(choice, {9, 4433, 4434})) {
    features.float16 =
        vulkan12.shaderFloat16 && features_of<vk::PhysicalDeviceVulkan11Features>(device).storageBuffer16BitAccess;
  }
  if (choice.atomics || declares(choice, {11, 12})) features.shader_int64 = device.getFeatures().shaderInt64;
  if (choice.atomics || declares(choice, {12}))
    features.int64_atomics = vulkan12.shaderBufferInt64Atomics && vulkan12.shaderSharedInt64Atomics;
  if (choice.atomics || declares(choice, {6033, 6034})) {
    const auto floats =
        features_by(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT{});
    features.buffer_float32 = {floats.shaderBufferFloat32Atomics == vk::True, floats.shaderBufferFloat32AtomicAdd == vk::True};
    features.shared_float32 = {floats.shaderSharedFloat32Atomics == vk::True, floats.shaderSharedFloat32AtomicAdd == vk::True};
    features.buffer_float64 = {floats.shaderBufferFloat64Atomics == vk::True, floats.shaderBufferFloat64AtomicAdd == vk::True};
    features.shared_float64 = {floats.shaderSharedFloat64Atomics == vk::True, floats.shaderSharedFloat64AtomicAdd == vk::True};
  }
  if (choice.atomics || declares(choice, {5404})) {
    features.float16_vector_atomics =
        features_by(VK_NV_SHADER_ATOMIC_FLOAT16_VECTOR_EXTENSION_NAME, vk::PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV{})
            .shaderFloat16VectorAtomics;
  }
  find_declared(device, extensions, choice, features);
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
  if (choice.matrix_units ||
      declares(choice, {39, 4448, 4449, 6016, 6017, 6018, 6019, 6022, 5116, 5118, 4212, 4213, 5433, 5439}))
    find_matrix_units(device, extensions, features);
  return features;
}

// By the drivers that this header knows.
bool is_mesa(vk::DriverId driver) {
  using enum vk::DriverId;
  constexpr vk::DriverId kMesas[] = {eMesaRadv,  eIntelOpenSourceMESA, eMesaLlvmpipe, eMesaTurnip, eMesaV3Dv,
                                     eMesaPanvk, eMesaVenus,           eMesaDozen,    eMesaNvk};
  return std::ranges::count(kMesas, driver) != 0;
}

vk::raii::Device create_device(const vk::raii::PhysicalDevice& physical_device, const QueuePlan& queue_plan,
                               const VulkanChoice& choice, const OptionalFeatures& features) {
  // robustBufferAccess stays off: its bounds checks would be part of what is timed.
  vk::PhysicalDeviceVulkan12Features vulkan12{.storageBuffer8BitAccess = features.int8,
                                              .uniformAndStorageBuffer8BitAccess = features.uniform8,
                                              .storagePushConstant8 = features.push8,
                                              .shaderBufferInt64Atomics = features.int64_atomics,
                                              .shaderSharedInt64Atomics = features.int64_atomics,
                                              .shaderFloat16 = features.float16,
                                              .shaderInt8 = features.int8,
                                              .descriptorBindingStorageBufferUpdateAfterBind = features.bindless,
                                              .descriptorBindingPartiallyBound = features.bindless,
                                              .runtimeDescriptorArray = features.bindless,
                                              .scalarBlockLayout = true,
                                              .timelineSemaphore = features.timeline,
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
  vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_flow{.shaderSubgroupUniformControlFlow = true};
  enable(features.uniform_control_flow, uniform_flow, VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
  vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR maximal{.shaderMaximalReconvergence = true};
  enable(features.maximal_reconvergence, maximal, VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME);
  vk::PhysicalDeviceConditionalRenderingFeaturesEXT conditional{.conditionalRendering = true};
  enable(features.conditional_rendering, conditional, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  vk::PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated{.deviceGeneratedCommands = true};
  enable(features.generated_commands, generated, VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
  vk::PhysicalDeviceMaintenance5FeaturesKHR maintenance5{.maintenance5 = true};
  enable(features.generated_commands, maintenance5, VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  vk::PhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer{.descriptorBuffer = true};
  enable(features.descriptor_buffer, descriptor_buffer, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  vk::PhysicalDevicePipelineRobustnessFeaturesEXT robustness{.pipelineRobustness = true};
  enable(features.pipeline_robustness, robustness, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  // Of Vulkan 1.1, no extension: in the chain where something of it is wanted.
  const auto chain = [&](bool wanted, auto& feature) {
    if (!wanted) return;
    feature.pNext = next;
    next = &feature;
  };
  vk::PhysicalDevice16BitStorageFeatures storage16{.storageBuffer16BitAccess = features.float16,
                                                   .uniformAndStorageBuffer16BitAccess = features.uniform16,
                                                   .storagePushConstant16 = features.push16};
  chain(features.float16 || features.uniform16 || features.push16, storage16);
  vk::PhysicalDeviceVariablePointersFeatures pointers{.variablePointersStorageBuffer = features.variable_pointers_buffer,
                                                      .variablePointers = features.variable_pointers};
  chain(features.variable_pointers_buffer, pointers);
  vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR layouts{
      .workgroupMemoryExplicitLayout = true,
      .workgroupMemoryExplicitLayout8BitAccess = features.workgroup_layout8,
      .workgroupMemoryExplicitLayout16BitAccess = features.workgroup_layout16};
  enable(features.workgroup_layout, layouts, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
  vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT floats2{.shaderBufferFloat32AtomicMinMax = true,
                                                          .shaderSharedFloat32AtomicMinMax = true};
  enable(features.float32_atomic_min_max, floats2, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  vk::PhysicalDeviceCooperativeMatrixFeaturesKHR matrix{.cooperativeMatrix = true};
  enable(features.cooperative_matrix, matrix, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  vk::PhysicalDeviceCooperativeMatrix2FeaturesNV matrix2{.cooperativeMatrixWorkgroupScope = true,
                                                         .cooperativeMatrixFlexibleDimensions = true,
                                                         .cooperativeMatrixTensorAddressing = true};
  enable(features.workgroup_matrix, matrix2, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
  vk::PhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{.shaderBFloat16Type = true, .shaderBFloat16CooperativeMatrix = true};
  enable(features.bfloat16_matrix, bfloat16, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME);
  vk::PhysicalDeviceShaderFloat8FeaturesEXT float8{.shaderFloat8 = true, .shaderFloat8CooperativeMatrix = true};
  enable(features.float8_matrix, float8, VK_EXT_SHADER_FLOAT8_EXTENSION_NAME);
  vk::PhysicalDeviceShaderAtomicFloat16VectorFeaturesNV halves{.shaderFloat16VectorAtomics = true};
  enable(features.float16_vector_atomics, halves, VK_NV_SHADER_ATOMIC_FLOAT16_VECTOR_EXTENSION_NAME);
  vk::PhysicalDeviceShaderSubgroupRotateFeaturesKHR rotate{.shaderSubgroupRotate = true};
  enable(features.subgroup_rotate, rotate, VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME);
  vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT floats{.shaderBufferFloat32Atomics = features.buffer_float32.exchange,
                                                        .shaderBufferFloat32AtomicAdd = features.buffer_float32.add,
                                                        .shaderBufferFloat64Atomics = features.buffer_float64.exchange,
                                                        .shaderBufferFloat64AtomicAdd = features.buffer_float64.add,
                                                        .shaderSharedFloat32Atomics = features.shared_float32.exchange,
                                                        .shaderSharedFloat32AtomicAdd = features.shared_float32.add,
                                                        .shaderSharedFloat64Atomics = features.shared_float64.exchange,
                                                        .shaderSharedFloat64AtomicAdd = features.shared_float64.add};
  const auto any_float = [](const OptionalFeatures::FloatAtomics& one) { return one.exchange || one.add; };
  enable(any_float(features.buffer_float32) || any_float(features.shared_float32) || any_float(features.buffer_float64) ||
             any_float(features.shared_float64),
         floats, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  const auto enable_name = [&](bool present, const char* extension) {
    if (present) extensions.push_back(extension);
  };
  const bool has_priority = choice.priority != QueuePriority::kDefault;
  enable_name(features.push_descriptors, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  enable_name(features.binary_import, VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  enable_name(features.export_memory || features.import_memory, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  enable_name(features.host_pointers, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  enable_name(has_priority, VK_KHR_GLOBAL_PRIORITY_EXTENSION_NAME);
  enable_name(features.portability_subset, kPortabilitySubset);

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
  const vk::PhysicalDeviceFeatures core{.shaderFloat64 = features.float64,
                                        .shaderInt64 = features.shader_int64,
                                        .shaderInt16 = features.int16,
                                        .sparseBinding = features.sparse_binding};
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

// `wanted`: 0 for what is usual. Throws Skip.
SubgroupSizes subgroup_sizes_of(const vk::PhysicalDeviceVulkan11Properties& vulkan11,
                                const vk::PhysicalDeviceVulkan13Properties& vulkan13, std::uint32_t wanted,
                                std::string_view name) {
  const std::uint32_t least = vulkan13.minSubgroupSize;
  const std::uint32_t most = vulkan13.maxSubgroupSize;
  const bool may_ask = static_cast<bool>(vulkan13.requiredSubgroupSizeStages & vk::ShaderStageFlagBits::eCompute);
  const bool offered = std::has_single_bit(wanted) && wanted >= least && wanted <= most;
  if (wanted != 0 && !(offered && (may_ask || wanted == vulkan11.subgroupSize))) {
    throw Skip("{} compiles for no subgroups of {} (powers of two from {} to {})", name, wanted, least, most);
  }
  const std::uint32_t size = wanted != 0 ? wanted : choose_subgroup_size(vulkan11.subgroupSize, least, most, may_ask);
  return {
      .size = size,
      .can_require = may_ask && size >= least && size <= most,
      .max_per_workgroup = vulkan13.maxComputeWorkgroupSubgroups,
      .least = may_ask ? least : 0,
      .most = may_ask ? most : 0,
      .operations = vulkan11.subgroupSupportedOperations,
  };
}

}  // namespace

Context::Context(const DeviceInfo& info, const DeviceOptions& wanted, std::shared_ptr<const Instance> instance)
    : info_(info),
      instance_(std::move(instance)),
      complaints_before_(complaints() != nullptr ? complaints()->count() : 0),
      physical_device_(find_device(*instance_, info)),
      limits_(physical_device_.getProperties().limits),
      device_(nullptr) {
  const Purpose purpose = wanted.compile_only ? Purpose::kListings : Purpose::kRunning;
  DeviceOptions options = wanted;
  if (wanted.compile_only) options.vulkan = of_the_compiler(options.vulkan);
  const DeviceFacts facts = facts_of(physical_device_);
  if (const std::vector<std::string> unmet = unmet_requirements(facts, purpose); !unmet.empty()) {
    throw Skip("{} lacks {}", info.name, fmt::join(unmet, "; "));
  }
  auto family = choose_queue_family(facts, options.vulkan.queue);
  if (!family && wanted.compile_only) family = any_compute_family(facts);
  if (!family) {
    throw Skip("{} has no second queue family for compute, one with graphics, to compare with", info.name);
  }
  queue_family_ = *family;
  timestamp_valid_bits_ = facts.queue_families[queue_family_].timestamp_valid_bits;

  waits_on_the_host_ = is_mesa(properties_of<vk::PhysicalDeviceVulkan12Properties>(physical_device_).driverID);
  const auto vulkan11 = properties_of<vk::PhysicalDeviceVulkan11Properties>(physical_device_);
  const auto vulkan13 = properties_of<vk::PhysicalDeviceVulkan13Properties>(physical_device_);
  max_allocation_bytes_ = std::min(vulkan11.maxMemoryAllocationSize, vulkan13.maxBufferSize);
  subgroup_sizes_ = subgroup_sizes_of(vulkan11, vulkan13, options.subgroup_size, info.name);
  if (options.subgroup_size != 0) info_.subgroup_size = options.subgroup_size;
  features_ = optional_features(physical_device_, options);
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
    const QueueFamilyFacts& found = facts.queue_families[*one];
    return OtherQueue{*one, has_timestamps(found) ? found.timestamp_valid_bits : 0, device_.getQueue(*one, 0)};
  };
  transfer_ = other(plan.transfer_family);
  graphics_ = other(plan.graphics_family);
}

std::vector<std::string> Context::complaints_since_opened() const {
  if (complaints() == nullptr) return {};
  std::vector<std::string> all = complaints()->messages();
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(complaints_before_, all.size())));
  return all;
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
  const auto groups = BENCH_VK(instance_->handle().enumeratePhysicalDeviceGroups());
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
