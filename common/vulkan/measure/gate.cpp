#include "vulkan/measure/gate.h"

#include <cstring>

#include "core/base/error.h"
#include "core/device/kernel_images.h"
#include "vulkan/kernels/params.h"
#include "vulkan_support_kernels.h"

namespace bench::vulkan {
namespace {

KernelSpec spin_spec(const Context& context) {
  if (context.info().realtime_tick_ns <= 0) throw Skip("{}: kernels cannot read a clock", context.info().name);
  KernelSpec spec;
  spec.images = &find_kernel(kernels::vulkan_support(), "spin");
  spec.entry = "spin";
  spec.block_x = 1;
  spec.buffers = 1;
  spec.params_bytes = sizeof(SpinParams);
  return spec;
}

Launch spin_launch(const Context& context, const ComputePipeline& kernel, const DeviceBuffer& elapsed) {
  const auto ticks = static_cast<std::uint32_t>(kGateNs / context.info().realtime_tick_ns);
  // A step reads the clock 16 times, and no GPU does that within a nanosecond.
  const SpinParams params{.ticks = ticks, .max_steps = static_cast<std::uint32_t>(kGateNs)};
  Launch launch;
  launch.kernel = &kernel;
  launch.buffers = {&elapsed};
  launch.params.resize(sizeof params);
  std::memcpy(launch.params.data(), &params, sizeof params);
  return launch;
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
