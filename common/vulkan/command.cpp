#include "vulkan/command.h"

#include <algorithm>
#include <vector>

#include "core/kernel_interface.h"
#include "vulkan/command_slot.h"
#include "vulkan/compute_pipeline.h"

namespace bench::vulkan {
namespace {

void check_launch(const Context& context, const Launch& launch) {
  if (launch.kernel == nullptr) {
    throw Error("a launch without a kernel");
  }
  const ComputePipeline& kernel = compute_pipeline(*launch.kernel);
  const KernelSpec& spec = kernel.spec();
  if (launch.buffers.size() != spec.buffers || launch.params.size() != spec.params_bytes) {
    throw Error("kernel {} takes {} buffers and {} bytes of parameters; the launch has {} and {}", kernel.name(), spec.buffers,
                spec.params_bytes, launch.buffers.size(), launch.params.size());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t most = context.limits().maxComputeWorkGroupCount[i];
    if (launch.grid[i] == 0 || launch.grid[i] > most) {
      throw Error("kernel {}: grid {} x {} x {}; maxComputeWorkGroupCount[{}] of {} is {}", kernel.name(), launch.grid[0],
                  launch.grid[1], launch.grid[2], i, context.info().name, most);
    }
  }
  for (const Buffer* buffer : launch.buffers) {
    if (buffer == nullptr) {
      throw Error("kernel {}: a buffer is missing", kernel.name());
    }
    if (spec.binding != BufferBinding::kAddress && spec.binding != BufferBinding::kUniform &&
        buffer->bytes() > context.limits().maxStorageBufferRange) {
      throw Error("kernel {}: a descriptor of {} bytes; maxStorageBufferRange of {} is {}", kernel.name(), buffer->bytes(),
                  context.info().name, context.limits().maxStorageBufferRange);
    }
  }
}

void check_copy(const Copy& copy) {
  if (copy.source == nullptr || copy.destination == nullptr) {
    throw Error("a copy without a source or a destination");
  }
  if (copy.bytes == 0 || copy.bytes > copy.source->bytes() || copy.bytes > copy.destination->bytes()) {
    throw Error("a copy of {} bytes from a buffer of {} to one of {}", copy.bytes, copy.source->bytes(),
                copy.destination->bytes());
  }
}

}  // namespace

Command::Command(const Context& context, const Work& work, SetUse set_use)
    : context_(context), work_(work), set_use_(set_use), name_("nothing") {
  const auto use = [this](const Buffer& buffer) {
    const DeviceBuffer* ours = &device_buffer(buffer);
    if (std::find(buffers_.begin(), buffers_.end(), ours) == buffers_.end()) {
      buffers_.push_back(ours);
    }
  };
  if (const auto* launch = std::get_if<Launch>(&work_)) {
    check_launch(context, *launch);
    name_ = fmt::format("kernel {}", compute_pipeline(*launch->kernel).name());
    binder_ = make_binder(context, *launch);
    for (const Buffer* buffer : launch->buffers) {
      use(*buffer);
    }
  } else if (const auto* copy = std::get_if<Copy>(&work_)) {
    check_copy(*copy);
    name_ = fmt::format("a copy of {} bytes", copy->bytes);
    use(*copy->source);
    use(*copy->destination);
  }
}

void Command::acquire(const vk::raii::CommandBuffer& commands) const {
  for (const DeviceBuffer* buffer : buffers_) {
    buffer->acquire(context_, commands);
  }
}

void Command::release(const vk::raii::CommandBuffer& commands) const {
  for (const DeviceBuffer* buffer : buffers_) {
    buffer->release(context_, commands);
  }
}

void Command::bind(const vk::raii::CommandBuffer& commands) const {
  const auto* launch = std::get_if<Launch>(&work_);
  if (launch == nullptr) {
    return;
  }
  const ComputePipeline& kernel = compute_pipeline(*launch->kernel);
  commands.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.handle());
  if (set_use_ == SetUse::kUpdatedPerDispatch) {
    binder_->restart();
    binder_->update_and_bind(commands);
  } else {
    binder_->bind(commands);
  }
  if (!launch->params.empty()) {
    commands.pushConstants<std::byte>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, push_bytes_of_buffers(kernel.spec()),
                                      launch->params);
  }
}

void Command::rebind(const vk::raii::CommandBuffer& commands) const {
  if (binder_ != nullptr && set_use_ == SetUse::kBoundPerDispatch) {
    binder_->rebind(commands);
  } else if (binder_ != nullptr && set_use_ == SetUse::kUpdatedPerDispatch) {
    binder_->update_and_bind(commands);
  }
}

void Command::record(const vk::raii::CommandBuffer& commands) const {
  if (const auto* launch = std::get_if<Launch>(&work_)) {
    commands.dispatch(launch->grid[0], launch->grid[1], launch->grid[2]);
  } else if (const auto* copy = std::get_if<Copy>(&work_)) {
    commands.copyBuffer(device_buffer(*copy->source).handle(), device_buffer(*copy->destination).handle(),
                        vk::BufferCopy{.size = copy->bytes});
  }
}

void Command::order(const vk::raii::CommandBuffer& commands) const {
  using Stage = vk::PipelineStageFlagBits2;
  using Access = vk::AccessFlagBits2;
  if (std::holds_alternative<Copy>(work_)) {
    memory_barrier(commands, Stage::eCopy, Access::eTransferWrite, Stage::eCopy,
                   Access::eTransferRead | Access::eTransferWrite);
  } else {  // Nothing too: what the stamps cost includes the barrier before the closing one
    memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, Stage::eComputeShader,
                   Access::eShaderStorageRead | Access::eShaderStorageWrite);
  }
}

void Command::record_batch(const vk::raii::CommandBuffer& commands, std::uint32_t count, bool ordered) const {
  if (empty()) {
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0 && ordered) {
      order(commands);
    }
    if (i > 0) {
      rebind(commands);
    }
    record(commands);
  }
}

}  // namespace bench::vulkan
