#include <algorithm>

#include "core/base/watchdog.h"
#include "core/device/kernel_images.h"
#include "exp08_kernels.h"
#include "indirect_arguments.h"
#include "sides.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using bench::vulkan::Context;

struct Recording {
  const Context& context;
  Config config;
  bench::vulkan::Command bound;
  vk::PipelineLayout layout;
  WorkParams params;
  // Of indirect dispatches: made by this kernel into a buffer of the suite's, copied to where dispatches may read them.
  std::unique_ptr<bench::vulkan::Command> make_arguments;
  const bench::Buffer* made = nullptr;
  std::unique_ptr<IndirectArguments> arguments;

  void dispatches(const vk::raii::CommandBuffer& commands, std::uint32_t first, std::uint32_t end) const {
    bound.bind(commands);
    for (std::uint32_t i = first; i < end; ++i) {
      if (i > first && config.ordered()) bench::vulkan::order_dispatches(commands);
      const WorkParams mine = params_of(config, i, params);
      commands.pushConstants<WorkParams>(layout, vk::ShaderStageFlagBits::eCompute, 0, mine);
      if (arguments) {
        commands.dispatchIndirect(arguments->handle(), i * kArgumentBytes);
      } else {
        commands.dispatch(config.blocks, 1, 1);
      }
    }
  }

  void indirect(const vk::raii::CommandBuffer& commands) const {
    using Stage = vk::PipelineStageFlagBits2;
    using Access = vk::AccessFlagBits2;
    make_arguments->bind(commands);
    make_arguments->record(commands);
    bench::vulkan::memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, Stage::eCopy,
                                  Access::eTransferRead);
    commands.copyBuffer(bench::vulkan::device_buffer(*made).handle(), arguments->handle(),
                        vk::BufferCopy{.size = config.dispatches * kArgumentBytes});
    bench::vulkan::memory_barrier(commands, Stage::eCopy, Access::eTransferWrite, Stage::eDrawIndirect,
                                  Access::eIndirectCommandRead);
  }
};

}  // namespace

const char* vulkan_work(bench::Device& device) {
  return bench::vulkan::context_of(device).features().sm_builtins ? "work" : "work_anywhere";
}

Dispatches vulkan_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch, const WorkParams& params) {
  const bool is_indirect = config.way == DispatchMethod::kIndirect || config.way == DispatchMethod::kFromDevice;
  const bench::Kernel* const make_arguments =
      is_indirect ? &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), "arguments"),
                                   .entry = "arguments",
                                   .block_x = kBlock,
                                   .buffers = 1,
                                   .params_bytes = sizeof(ArgumentParams)})
                  : nullptr;
  const bench::vulkan::VulkanDevice& device = bench::vulkan::vulkan_device(bench.device());
  const Context& context = device.context();
  auto recording = std::make_shared<Recording>(Recording{.context = context,
                                                         .config = config,
                                                         .bound = {context, launch},
                                                         .layout = bench::vulkan::compute_pipeline(*launch.kernel).layout(),
                                                         .params = params,
                                                         .make_arguments = {},
                                                         .made = nullptr,
                                                         .arguments = {}});
  bench::vulkan::Body body;
  body.name = "dispatches";
  body.kernel = launch.kernel;
  body.recorded_anew = config.way == DispatchMethod::kOrdered || config.way == DispatchMethod::kIndependent;
  body.unordered = !config.ordered();
  if (config.way == DispatchMethod::kBuffers) body.parts = std::min(kMostBuffers, config.dispatches);
  if (config.way == DispatchMethod::kSubmissions) {
    body.parts = config.dispatches;
    body.one_by_one = true;
  }
  if (is_indirect) {
    const bench::Buffer& made = bench.output("arguments", config.dispatches * kArgumentBytes / 4);
    bench::Launch make;
    make.kernel = make_arguments;
    make.grid = {(config.dispatches + kBlock - 1) / kBlock, 1, 1};
    make.buffers = {&made};
    make.params = bench::params_bytes(ArgumentParams{config.dispatches, config.blocks});
    recording->made = &made;
    recording->make_arguments = std::make_unique<bench::vulkan::Command>(context, bench::Work(make));
    recording->arguments = std::make_unique<IndirectArguments>(context, config.dispatches * kArgumentBytes);
  }
  const std::uint32_t parts = body.parts;
  body.record = [recording, parts](const vk::raii::CommandBuffer& commands, std::uint32_t part, std::uint32_t /*times*/) {
    if (recording->arguments) recording->indirect(commands);
    const std::uint64_t all = recording->config.dispatches;
    recording->dispatches(commands, static_cast<std::uint32_t>(all * part / parts),
                          static_cast<std::uint32_t>(all * (part + 1) / parts));
  };
  return {device.prepare(std::move(body))};
}
