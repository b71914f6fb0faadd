#include "vulkan/launch/command.h"

#include <algorithm>

#include "core/device/kernel_interface.h"
#include "vulkan/api/command_slot.h"

namespace bench::vulkan {
Command::Command(const Context& context, const Work& work) : context_(context), work_(work), name_("nothing") {
  check_work(work);
  const auto use = [this](const Buffer& buffer) {
    const DeviceBuffer* ours = &device_buffer(buffer);
    if (std::find(buffers_.begin(), buffers_.end(), ours) == buffers_.end()) {
      buffers_.push_back(ours);
    }
  };
  if (const auto* launch = std::get_if<Launch>(&work_)) {
    launch_ = record_launch(context, *launch);
    name_ = fmt::format("kernel {}", launch->kernel->spec().images->stem);
    for (const Buffer* buffer : launch->buffers) {
      use(*buffer);
    }
  } else if (const auto* passes = std::get_if<Passes>(&work_)) {
    for (const Launch& pass : passes->launches) {
      passes_.push_back(record_launch(context, pass));
      for (const Buffer* buffer : pass.buffers) {
        use(*buffer);
      }
    }
    name_ = fmt::format("kernel {} and its passes", kernel()->spec().images->stem);
  } else if (const auto* copy = std::get_if<Copy>(&work_)) {
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
  if (launch_ != nullptr) {
    launch_->bind(commands);
  }
}

void Command::record(const vk::raii::CommandBuffer& commands, std::uint32_t count, bool ordered) const {
  if (empty()) {
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0 && ordered) {
      order(commands);
    }
    if (launch_ != nullptr) {
      if (i > 0) {
        launch_->rebind(commands);
      }
      launch_->launch(commands);
    } else if (const auto* copy = std::get_if<Copy>(&work_)) {
      commands.copyBuffer(device_buffer(*copy->source).handle(), device_buffer(*copy->destination).handle(),
                          vk::BufferCopy{.size = copy->bytes});
    }
    for (std::size_t at = 0; at < passes_.size(); ++at) {
      const std::vector<bool>& overlaps = std::get<Passes>(work_).overlaps;
      if (at > 0 && (overlaps.empty() || !overlaps[at])) {
        order(commands);
      }
      passes_[at]->bind(commands);
      passes_[at]->launch(commands);
    }
  }
}

void Command::order(const vk::raii::CommandBuffer& commands) const {
  if (std::holds_alternative<Copy>(work_)) {
    using Access = vk::AccessFlagBits2;
    const auto copy = vk::PipelineStageFlagBits2::eCopy;
    memory_barrier(commands, copy, Access::eTransferWrite, copy, Access::eTransferRead | Access::eTransferWrite);
  } else {  // Nothing too: what the stamps cost includes the barrier before the closing one
    order_dispatches(commands);
  }
}

}  // namespace bench::vulkan
