#include "vulkan/launch/compute_pipeline.h"

#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <vector>

#include "core/device/kernel_interface.h"
#include "vulkan/launch/buffer_binding.h"
#include "vulkan/launch/capabilities.h"
#include "vulkan/launch/pipeline_isa.h"

namespace bench::vulkan {
namespace {

// The embedded bytes as SPIR-V words. Throws Skip without a twin, Error if they are no SPIR-V.
std::vector<std::uint32_t> spirv_words(const KernelSpec& spec) {
  const std::span<const std::byte> bytes = spec.images->spirv;
  if (bytes.empty() && !spec.images->no_spirv.empty()) {
    throw Skip("kernel {}: {}", spec.images->stem, spec.images->no_spirv);
  }
  if (bytes.empty()) {
    throw Skip("kernel {} has no GLSL twin", spec.images->stem);
  }
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  if (words.size() < 5 || words[0] != 0x07230203U) {  // SPIR-V specification, section 2.3
    throw Error("kernel {}: {} embedded bytes are no SPIR-V module", spec.images->stem, bytes.size());
  }
  return words;
}

void check_capabilities(const Context& context, std::string_view stem, std::span<const std::uint32_t> words) {
  const std::string missing = missing_capability(words, context.features(), context.subgroup_sizes().operations);
  if (!missing.empty()) throw Skip("kernel {} wants {}, which {} lacks", stem, missing, context.info().name);
}

void check_subgroup_size(const Context& context, const KernelSpec& spec) {
  const std::uint32_t wanted = spec.vulkan.interface ? spec.vulkan.interface->subgroup_size : 0;
  const SubgroupSizes& sizes = context.subgroup_sizes();
  if (wanted == 0) return;
  if (!std::has_single_bit(wanted) || wanted < sizes.least || wanted > sizes.most) {
    throw Skip("kernel {} wants subgroups of {}; {} has powers of two from {} to {}", spec.images->stem, wanted,
               context.info().name, sizes.least, sizes.most);
  }
  if (spec.block_threads() > std::uint64_t{wanted} * sizes.max_per_workgroup) {
    throw Skip("kernel {} wants workgroups of {} in subgroups of {}; maxComputeWorkgroupSubgroups of {} is {}",
               spec.images->stem, spec.block_threads(), wanted, context.info().name, sizes.max_per_workgroup);
  }
}

void check_limits(const Context& context, const KernelSpec& spec) {
  const vk::PhysicalDeviceLimits& limits = context.limits();
  const auto at_most = [&](const char* what, std::uint64_t wanted, const char* limit, std::uint64_t found) {
    if (wanted > found) {
      throw Skip("kernel {} wants {} {}; {} of {} is {}", spec.images->stem, wanted, what, limit, context.info().name, found);
    }
  };
  if (spec.block_threads() == 0 || spec.params_bytes % 4 != 0) {
    throw Error("kernel {}: block {} x {} x {} must not be 0, params_bytes {} must be a multiple of 4", spec.images->stem,
                spec.block_x, spec.block_y, spec.block_z, spec.params_bytes);
  }
  if (spec.cuda.cluster_x != 0)
    throw Skip("kernel {} wants clusters of {} workgroups; Vulkan has none", spec.images->stem, spec.cuda.cluster_x);
  at_most("invocations in x", spec.block_x, "maxComputeWorkGroupSize[0]", limits.maxComputeWorkGroupSize[0]);
  at_most("invocations in y", spec.block_y, "maxComputeWorkGroupSize[1]", limits.maxComputeWorkGroupSize[1]);
  at_most("invocations in z", spec.block_z, "maxComputeWorkGroupSize[2]", limits.maxComputeWorkGroupSize[2]);
  at_most("invocations a workgroup", spec.block_threads(), "maxComputeWorkGroupInvocations",
          limits.maxComputeWorkGroupInvocations);
  at_most("bytes of push constants", push_bytes_of_buffers(spec) + spec.params_bytes, "maxPushConstantsSize",
          limits.maxPushConstantsSize);
  at_most("bytes of shared memory", spec.shared_bytes, "maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize);
  check_binding(context, spec);
  check_subgroup_size(context, spec);
  if (!spec.vulkan.matrix.empty() && context.features().cooperative_matrix &&
      !context.features().matrices.contains(spec.vulkan.matrix)) {
    throw Skip("kernel {} wants a subgroup's matrices of {}; {} lists {}", spec.images->stem, spec.vulkan.matrix,
               context.info().name, fmt::join(context.features().matrices, ", "));
  }
  const VulkanLaunch::WorkgroupMatrix& matrix = spec.vulkan.workgroup_matrix;
  if (matrix.rows != 0 && context.features().workgroup_matrix &&
      !multiplies(context.features().workgroup_matrices, matrix, spec.block_x)) {
    throw Skip("kernel {} wants a workgroup's matrices of {}x{}x{} {} by {} invocations, which {} does not list",
               spec.images->stem, matrix.rows, matrix.columns, matrix.depth, matrix.types, spec.block_x, context.info().name);
  }
  const auto wants = [&](bool wanted, bool present, std::string_view what) {
    if (wanted && !present) throw Skip("kernel {} wants {}, which {} lacks", spec.images->stem, what, context.info().name);
  };
  wants(spec.vulkan.full_subgroups, context.features().full_subgroups, "full subgroups (computeFullSubgroups)");
  wants(spec.vulkan.reconvergence == Reconvergence::kUniform, context.features().uniform_control_flow,
        VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
  wants(spec.vulkan.reconvergence == Reconvergence::kMaximal, context.features().maximal_reconvergence,
        VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME);
  wants(spec.vulkan.robustness != Robustness::kDefault, context.features().pipeline_robustness,
        fmt::format("VK_EXT_pipeline_robustness for {}", to_string(spec.vulkan.robustness)));
  wants(spec.vulkan.robustness == Robustness::kRobustness2, context.features().robustness2, "VK_EXT_robustness2");
}

std::vector<vk::DescriptorSetLayout> handles_of(const std::vector<vk::raii::DescriptorSetLayout>& layouts) {
  return {layouts.begin(), layouts.end()};
}

vk::raii::PipelineLayout make_layout(const Context& context, const KernelSpec& spec,
                                     const std::vector<vk::DescriptorSetLayout>& sets) {
  const std::uint32_t push_bytes = push_bytes_of_buffers(spec) + spec.params_bytes;
  const vk::PushConstantRange range{.stageFlags = vk::ShaderStageFlagBits::eCompute, .offset = 0, .size = push_bytes};
  const vk::PipelineLayoutCreateInfo info{
      .setLayoutCount = static_cast<std::uint32_t>(sets.size()),
      .pSetLayouts = sets.data(),
      .pushConstantRangeCount = push_bytes > 0 ? 1U : 0U,
      .pPushConstantRanges = &range,
  };
  return BENCH_VK(context.device().createPipelineLayout(info), "{} bytes of push constants", push_bytes);
}

// A pipeline's specialization constants, and their bytes.
class Specialization {
 public:
  explicit Specialization(const KernelSpec& spec) {
    if (spec.vulkan.interface) {
      for (const VulkanInterface::Constant& one : spec.vulkan.interface->constants) add(one.id, one.value);
    } else {  // constant 0 is the workgroup's size; those a kernel does not use are ignored
      std::uint32_t id = 0;
      add(id, std::as_bytes(std::span(&spec.block_x, 1)));
      for (const std::uint32_t& one : spec.constants) add(++id, std::as_bytes(std::span(&one, 1)));
    }
    info_ = {.mapEntryCount = static_cast<std::uint32_t>(entries_.size()),
             .pMapEntries = entries_.data(),
             .dataSize = bytes_.size(),
             .pData = bytes_.data()};
  }
  Specialization(const Specialization&) = delete;  // the info points into it
  Specialization& operator=(const Specialization&) = delete;

  const vk::SpecializationInfo* get() const { return &info_; }

 private:
  void add(std::uint32_t id, std::span<const std::byte> value) {
    entries_.push_back({.constantID = id, .offset = static_cast<std::uint32_t>(bytes_.size()), .size = value.size()});
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }

  std::vector<vk::SpecializationMapEntry> entries_;
  std::vector<std::byte> bytes_;
  vk::SpecializationInfo info_;
};

// A driver may otherwise choose another subgroup size for each pipeline. A workgroup over the limit keeps the driver's choice,
// and so does a kernel with an interface of its own that wants none. 0: that choice.
std::uint32_t required_subgroup_size(const Context& context, const KernelSpec& spec) {
  if (spec.vulkan.interface) return spec.vulkan.interface->subgroup_size;
  const SubgroupSizes& sizes = context.subgroup_sizes();
  return sizes.can_require && spec.block_x <= std::uint64_t{sizes.size} * sizes.max_per_workgroup ? sizes.size : 0;
}

vk::PipelineRobustnessCreateInfoEXT robustness_info(Robustness robustness) {
  using Behavior = vk::PipelineRobustnessBufferBehaviorEXT;
  const auto behavior = robustness == Robustness::kDisabled             ? Behavior::eDisabled
                        : robustness == Robustness::kRobustBufferAccess ? Behavior::eRobustBufferAccess
                        : robustness == Robustness::kRobustness2        ? Behavior::eRobustBufferAccess2
                                                                        : Behavior::eDeviceDefault;
  return {.storageBuffers = behavior, .uniformBuffers = behavior};
}

vk::raii::Pipeline make_pipeline(const Context& context, const KernelSpec& spec, vk::PipelineLayout layout,
                                 const vk::raii::PipelineCache& cache, vk::PipelineCreateFlags flags = {}) {
  const std::vector<std::uint32_t> words = spirv_words(spec);
  check_capabilities(context, spec.images->stem, words);
  const vk::ShaderModuleCreateInfo module_info{.codeSize = words.size() * sizeof(std::uint32_t), .pCode = words.data()};
  const vk::raii::ShaderModule module =
      BENCH_VK(context.device().createShaderModule(module_info), "kernel {}", spec.images->stem);

  const Specialization specialization(spec);
  const vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo required{.requiredSubgroupSize =
                                                                           required_subgroup_size(context, spec)};

  const vk::PipelineRobustnessCreateInfoEXT robustness = robustness_info(spec.vulkan.robustness);
  const vk::ComputePipelineCreateInfo info{
      .pNext = spec.vulkan.robustness == Robustness::kDefault ? nullptr : &robustness,
      .flags = flags | binding_flags(spec),
      .stage = {.pNext = required.requiredSubgroupSize != 0 ? &required : nullptr,
                .flags = spec.vulkan.full_subgroups ? vk::PipelineShaderStageCreateFlagBits::eRequireFullSubgroups
                                                    : vk::PipelineShaderStageCreateFlagBits{},
                .stage = vk::ShaderStageFlagBits::eCompute,
                .module = *module,
                .pName = spec.vulkan.interface ? spec.entry.c_str() : "main",
                .pSpecializationInfo = specialization.get()},
      .layout = layout,
  };
  return BENCH_VK(context.device().createComputePipeline(cache, info), "kernel {}, {} invocations", spec.images->stem,
                  spec.block_threads());
}

const KernelSpec& checked_spec(const Context& context, const KernelSpec& spec) {
  if (spec.images == nullptr) {
    throw Error("kernel '{}' has no images", spec.entry);
  }
  check_limits(context, spec);
  if (!spec.images->spirv.empty()) {
    check_spirv(spec);
  }
  return spec;
}

}  // namespace

KernelSpec own_of(const KernelSpec& spec, const OptionalFeatures& features) {
  KernelSpec own = spec.with(spec.vulkan.own);
  const VulkanLaunch::OtherMatrix& other = spec.vulkan.other_matrix;
  if (!other.matrix.empty() && !features.matrices.contains(spec.vulkan.matrix) && features.matrices.contains(other.matrix)) {
    own = own.with(other.kernel);
    own.vulkan.matrix = other.matrix;
  }
  return own;
}

ComputePipeline::ComputePipeline(const Context& context, const KernelSpec& spec)
    : Kernel(checked_spec(context, spec)),
      context_(context),
      set_layouts_(make_set_layouts(context, spec)),
      layout_(make_layout(context, spec, handles_of(set_layouts_))),
      cache_(BENCH_VK(context.device().createPipelineCache({}))),
      pipeline_(make_pipeline(context, spec, *layout_, cache_)) {
  context.label(pipeline_, name());
}

KernelCode ComputePipeline::code() const {
  KernelCode result = cached_code(context_, cache_);
  result.source = spec().images->spirv;
  result.source_type = "spv";
  if (context_.features().pipeline_executable_info) {
    using Flag = vk::PipelineCreateFlagBits;
    const vk::raii::PipelineCache cache = BENCH_VK(context_.device().createPipelineCache({}));
    const vk::raii::Pipeline inspected = make_pipeline(context_, spec(), *layout_, cache,
                                                       Flag::eCaptureStatisticsKHR | Flag::eCaptureInternalRepresentationsKHR);
    add_executables(context_, *inspected, cached_code(context_, cache), result);
  }
  return result;
}

const ComputePipeline& compute_pipeline(const Kernel& kernel) {
  const auto* ours = dynamic_cast<const ComputePipeline*>(&kernel);
  if (ours == nullptr) {
    throw Error("kernel '{}' of another API was handed to Vulkan", kernel.spec().entry);
  }
  return *ours;
}

}  // namespace bench::vulkan
