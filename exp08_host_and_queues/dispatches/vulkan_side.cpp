#include <algorithm>

#include "core/base/watchdog.h"
#include "decided.h"
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
  // Of indirect dispatches: made by this kernel where dispatches read them, or, with `made`, into a buffer of the suite's, and
  // copied to there.
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
    if (made == nullptr) {
      // Khronos, Vulkan-Docs wiki, "Synchronization Examples": compute writes, indirect commands read.
      bench::vulkan::memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, Stage::eDrawIndirect,
                                    Access::eIndirectCommandRead);
      return;
    }
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
  const bool in_place = config.way == DispatchMethod::kInPlace || config.way == DispatchMethod::kFromDevice;
  const bench::Kernel* const make_arguments =
      in_place ? &load_kernel(bench, "arguments_in_place", "arguments_in_place", 0, sizeof(InPlaceParams))
      : config.way == DispatchMethod::kIndirect ? &load_kernel(bench, "arguments", "arguments", 1, sizeof(ArgumentParams))
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
  body.recorded_anew = config.way == DispatchMethod::kOrdered || config.way == DispatchMethod::kIndependent ||
                       config.way == DispatchMethod::kProgrammatic;
  body.unordered = !config.ordered();
  if (config.way == DispatchMethod::kBuffers) body.parts = std::min(kMostBuffers, config.dispatches);
  if (config.lanes != 0) body.parts = config.lanes;
  if (config.way == DispatchMethod::kBatches) body.one_by_one = true;
  if (config.way == DispatchMethod::kQueues) {
    body.one_by_one = true;
    body.side_by_side = true;
    body.queues = config.lanes;
    body.parts = config.lanes + 2;
  }
  if (config.way == DispatchMethod::kSubmissions) {
    body.parts = config.dispatches;
    body.one_by_one = true;
  }
  if (make_arguments != nullptr) {
    recording->arguments = std::make_unique<IndirectArguments>(context, config.dispatches * kArgumentBytes);
    bench::Launch make;
    make.kernel = make_arguments;
    make.grid = {(config.dispatches + kBlock - 1) / kBlock, 1, 1};
    if (in_place) {
      const Decision place = decision_for(recording->arguments->address());
      make.params = bench::params_bytes(InPlaceParams{config.dispatches, config.blocks, place.target_low, place.target_high});
    } else {
      recording->made = &bench.output("arguments", config.dispatches * kArgumentBytes / 4);
      make.buffers = {recording->made};
      make.params = bench::params_bytes(ArgumentParams{config.dispatches, config.blocks});
    }
    recording->make_arguments = std::make_unique<bench::vulkan::Command>(context, bench::Work(make));
  }
  // Queues that are forked and joined have a part before theirs and one behind.
  const std::uint32_t ahead = body.side_by_side ? 1 : 0;
  const std::uint32_t parts = body.parts - 2 * ahead;
  body.record = [recording, parts, ahead](const vk::raii::CommandBuffer& commands, std::uint32_t at, std::uint32_t /*times*/) {
    if (recording->arguments) recording->indirect(commands);
    const std::uint64_t all = recording->config.dispatches;
    const std::uint32_t part = at - ahead;
    if (part >= parts) return;
    recording->dispatches(commands, static_cast<std::uint32_t>(all * part / parts),
                          static_cast<std::uint32_t>(all * (part + 1) / parts));
  };
  return {device.prepare(std::move(body))};
}
