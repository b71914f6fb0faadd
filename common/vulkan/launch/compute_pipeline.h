// A kernel: one compute pipeline, with its layout and a pipeline cache of its own.
#pragma once

#include <string_view>
#include <vector>

#include "core/device/device.h"
#include "vulkan/api/context.h"

namespace bench::vulkan {

// The kernel as Vulkan has it (VulkanLaunch::own), with the matrices that the device lists (VulkanLaunch::other_matrix).
KernelSpec own_of(const KernelSpec& spec, const OptionalFeatures& features);

class ComputePipeline : public Kernel {
 public:
  // Throws Skip if there is no SPIR-V twin or the device lacks what it needs (with the numbers), Error if it cannot be
  // compiled.
  ComputePipeline(const Context& context, const KernelSpec& spec);

  vk::Pipeline handle() const { return *pipeline_; }
  vk::PipelineLayout layout() const { return *layout_; }
  vk::DescriptorSetLayout set_layout(std::size_t set = 0) const { return *set_layouts_.at(set); }
  // Where the driver wants the descriptors of a set in memory; only for BufferBinding::kDescriptorBuffer.
  std::uint64_t set_layout_bytes() const { return set_layouts_.front().getSizeEXT(); }
  std::uint64_t binding_offset(std::uint32_t binding) const { return set_layouts_.front().getBindingOffsetEXT(binding); }
  // Holds this pipeline alone, so that its machine code can be told apart in the cache's data.
  const vk::raii::PipelineCache& cache() const { return cache_; }
  std::string_view name() const { return spec().images->stem; }
  // The cache's machine code. With DeviceOptions::inspect also statistics and the driver's listing, from a second pipeline
  // that is compiled for them: the flags it takes may change the code, which is compared.
  KernelCode code() const override;
  std::string_view toolkit() const override { return spec().images->spirv_by; }

 private:
  const Context& context_;
  std::vector<vk::raii::DescriptorSetLayout> set_layouts_;  // by number; an empty one where there is none
  vk::raii::PipelineLayout layout_;
  vk::raii::PipelineCache cache_;
  vk::raii::Pipeline pipeline_;
};

// Throws Error if `kernel` is another API's.
const ComputePipeline& compute_pipeline(const Kernel& kernel);

}  // namespace bench::vulkan
