#include "vulkan/measure/gate.h"

#include "core/base/error.h"
#include "core/device/kernel_images.h"
#include "vulkan/kernels/params.h"
#include "vulkan_support_kernels.h"

namespace bench::vulkan {
namespace {

KernelSpec spin_spec(const Context& context) {
  if (context.info().realtime_tick_ns <= 0) throw Skip("{}: kernels cannot read a clock", context.info().name);
  return {.images = &find_kernel(kernels::vulkan_support(), "spin"),
          .entry = "spin",
          .block_x = 1,
          .buffers = 1,
          .params_bytes = sizeof(SpinParams)};
}

Launch spin_launch(const Context& context, const ComputePipeline& kernel, const DeviceBuffer& elapsed) {
  const auto ticks = static_cast<std::uint32_t>(kGateNs / context.info().realtime_tick_ns);
  // A step reads the clock 16 times, and no GPU does that within a nanosecond.
  const SpinParams params{.ticks = ticks, .max_steps = static_cast<std::uint32_t>(kGateNs)};
  return {.kernel = &kernel, .buffers = {&elapsed}, .params = params_bytes(params)};
}

}  // namespace

Gate::Gate(const Context& context)
    : elapsed_(context, sizeof(std::uint32_t), "gate"),
      kernel_(context, spin_spec(context)),
      spin_(context, spin_launch(context, kernel_, elapsed_)) {}

void Gate::record(const vk::raii::CommandBuffer& commands) const {
  spin_.bind(commands);
  spin_.record(commands);
}

}  // namespace bench::vulkan
