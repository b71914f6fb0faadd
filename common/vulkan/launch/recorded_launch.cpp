#include "vulkan/launch/recorded_launch.h"

#include <vector>

#include "core/device/kernel_interface.h"
#include "vulkan/launch/buffer_binding.h"
#include "vulkan/launch/compute_pipeline.h"
#include "vulkan/launch/imported_kernel.h"
#include "vulkan/memory/buffer.h"

namespace bench::vulkan {
namespace {

void check_launch(const Context& context, const Launch& launch) {
  const KernelSpec& spec = launch.kernel->spec();
  const std::string_view name = spec.images->stem;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t most = context.limits().maxComputeWorkGroupCount[i];
    if (launch.grid[i] > most && spec.vulkan.interface) {
      throw Skip("kernel {}: grid {} x {} x {}; maxComputeWorkGroupCount[{}] of {} is {}", name, launch.grid[0], launch.grid[1],
                 launch.grid[2], i, context.info().name, most);
    }
    if (launch.grid[i] == 0 || launch.grid[i] > most) {
      throw Error("kernel {}: grid {} x {} x {}; maxComputeWorkGroupCount[{}] of {} is {}", name, launch.grid[0],
                  launch.grid[1], launch.grid[2], i, context.info().name, most);
    }
  }
  if (spec.vulkan.interface) {
    for (const VulkanInterface::Descriptor& one : spec.vulkan.interface->descriptors) {
      if (one.buffer >= launch.buffers.size())
        throw Error("kernel {}: a descriptor of buffer {}; there are {}", name, one.buffer, launch.buffers.size());
      const char* const limit = one.is_uniform ? "maxUniformBufferRange" : "maxStorageBufferRange";
      const std::uint64_t most =
          one.is_uniform ? context.limits().maxUniformBufferRange : context.limits().maxStorageBufferRange;
      const Buffer& buffer = *launch.buffers[one.buffer];
      buffer.check_range(0, one.bytes);
      const std::uint64_t bytes = one.bytes != 0 ? one.bytes : buffer.bytes();
      if (bytes <= most) continue;
      throw Skip("kernel {}: set {} binding {} with {} bytes of {}; {} of {} is {}", name, one.set, one.binding, bytes,
                 buffer.label(), limit, context.info().name, most);
    }
    return;
  }
  const bool in_descriptors =
      !spec.vulkan.imported && spec.vulkan.binding != BufferBinding::kAddress && spec.vulkan.binding != BufferBinding::kUniform;
  for (const Buffer* buffer : launch.buffers) {
    if (in_descriptors && buffer->bytes() > context.limits().maxStorageBufferRange) {
      throw Error("kernel {}: a descriptor of {} bytes; maxStorageBufferRange of {} is {}", name, buffer->bytes(),
                  context.info().name, context.limits().maxStorageBufferRange);
    }
  }
}

// Push constants as the command buffer gets them.
std::vector<std::byte> params_of(const Launch& launch) {
  return with_addresses(launch, [&](std::uint32_t i) { return device_buffer(*launch.buffers[i]).address(); });
}

class PipelineLaunch final : public RecordedLaunch {
 public:
  PipelineLaunch(const Context& context, const Launch& launch)
      : launch_(launch),
        pipeline_(compute_pipeline(*launch.kernel)),
        set_use_(pipeline_.spec().vulkan.set_use),
        binder_(make_binder(context, launch)) {
    launch_.params = params_of(launch);
  }

  void bind(const vk::raii::CommandBuffer& commands) override {
    commands.bindPipeline(vk::PipelineBindPoint::eCompute, pipeline_.handle());
    if (set_use_ == SetUse::kUpdatedPerDispatch) {
      binder_->restart();
      binder_->update_and_bind(commands);
    } else {
      binder_->bind(commands);
    }
    if (!launch_.params.empty()) {
      commands.pushConstants<std::byte>(pipeline_.layout(), vk::ShaderStageFlagBits::eCompute,
                                        push_bytes_of_buffers(pipeline_.spec()), launch_.params);
    }
  }

  void rebind(const vk::raii::CommandBuffer& commands) override {
    if (set_use_ == SetUse::kBoundPerDispatch) {
      binder_->rebind(commands);
    } else if (set_use_ == SetUse::kUpdatedPerDispatch) {
      binder_->update_and_bind(commands);
    }
  }

  void launch(const vk::raii::CommandBuffer& commands) const override {
    commands.dispatch(launch_.grid[0], launch_.grid[1], launch_.grid[2]);
  }

 private:
  Launch launch_;
  const ComputePipeline& pipeline_;
  SetUse set_use_;
  std::unique_ptr<BufferBinder> binder_;
};

std::vector<std::uint64_t> addresses_of(const Launch& launch) {
  std::vector<std::uint64_t> addresses;
  for (const Buffer* buffer : launch.buffers) {
    addresses.push_back(device_buffer(*buffer).address());
  }
  return addresses;
}

// Its arguments go with each launch, as in CUDA.
class ImportedLaunch final : public RecordedLaunch {
 public:
  ImportedLaunch(const ImportedKernel& kernel, const Launch& launch)
      : launch_(launch),
        kernel_(kernel),
        addresses_(addresses_of(launch)),
        arguments_(imported_arguments(addresses_, launch_.params)) {}

  void bind(const vk::raii::CommandBuffer& /*commands*/) override {}
  void rebind(const vk::raii::CommandBuffer& /*commands*/) override {}
  void launch(const vk::raii::CommandBuffer& commands) const override { kernel_.launch(commands, launch_.grid, arguments_); }

 private:
  Launch launch_;
  const ImportedKernel& kernel_;
  std::vector<std::uint64_t> addresses_;
  std::vector<const void*> arguments_;  // into launch_ and addresses_
};

}  // namespace

std::unique_ptr<RecordedLaunch> record_launch(const Context& context, const Launch& launch) {
  check_launch(context, launch);
  if (const auto* imported = dynamic_cast<const ImportedKernel*>(launch.kernel)) {
    if (launch.kernel->spec().vulkan.set_use == SetUse::kUpdatedPerDispatch) {
      throw Skip("kernel {}: an imported kernel has no descriptor sets that could be updated per dispatch",
                 imported->spec().entry);
    }
    return std::make_unique<ImportedLaunch>(*imported, launch);
  }
  return std::make_unique<PipelineLaunch>(context, launch);
}

}  // namespace bench::vulkan
