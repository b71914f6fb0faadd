#include "decided.h"
#include "indirect_arguments.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using bench::vulkan::Command;
using bench::vulkan::Context;

constexpr std::uint64_t kPairBytes = 2 * kArgumentBytes;  // the work's arguments, then those of the kernel that decides next

// Behind what decides and what is decided about: either may read what the other wrote, words and arguments.
void order_decision(const vk::raii::CommandBuffer& commands) {
  using Stage = vk::PipelineStageFlagBits2;
  using Access = vk::AccessFlagBits2;
  bench::vulkan::memory_barrier(commands, Stage::eComputeShader | Stage::eDrawIndirect, Access::eShaderStorageWrite,
                                Stage::eComputeShader | Stage::eDrawIndirect,
                                Access::eShaderStorageRead | Access::eShaderStorageWrite | Access::eIndirectCommandRead);
}

struct DecidedRecording {
  Config config;
  Command work;
  Command decide;
  vk::PipelineLayout work_layout;
  vk::PipelineLayout decide_layout;
  std::unique_ptr<IndirectArguments> arguments;  // none where nothing is decided

  Decision decision(std::uint32_t i) const {
    return arguments ? decision_for(arguments->address() + i * kPairBytes) : Decision{};
  }
  void order(const vk::raii::CommandBuffer& commands) const {
    if (arguments) {
      order_decision(commands);
    } else {
      bench::vulkan::order_dispatches(commands);
    }
  }
  void dispatch(const vk::raii::CommandBuffer& commands, std::uint32_t blocks, std::uint64_t at) const {
    if (arguments) {
      commands.dispatchIndirect(arguments->handle(), at);
    } else {
      commands.dispatch(blocks, 1, 1);
    }
  }
  template <class Params>
  static void push(const vk::raii::CommandBuffer& commands, vk::PipelineLayout layout, const Params& params) {
    commands.pushConstants<Params>(layout, vk::ShaderStageFlagBits::eCompute, 0, params);
  }

  void guarded(const vk::raii::CommandBuffer& commands) const {
    for (std::uint32_t i = 0; i < config.dispatches; ++i) {
      if (i > 0) order(commands);
      decide.bind(commands);
      push(commands, decide_layout, decide_params(config, i, decision(i)));
      commands.dispatch(1, 1, 1);
      order(commands);
      work.bind(commands);
      push(commands, work_layout, WorkParams{i * config.blocks, 0, 0});
      dispatch(commands, config.blocks, i * kPairBytes);
    }
  }

  void repeated(const vk::raii::CommandBuffer& commands) const {
    decide.bind(commands);
    push(commands, decide_layout, advance_params(config, true, decision(0)));
    commands.dispatch(1, 1, 1);
    for (std::uint32_t step = 0; step < (arguments ? kMostSteps : config.dispatches); ++step) {
      order(commands);
      work.bind(commands);
      push(commands, work_layout, LoopedParams{config.blocks});
      dispatch(commands, config.blocks, 0);
      order(commands);
      decide.bind(commands);
      push(commands, decide_layout, advance_params(config, false, decision(0)));
      dispatch(commands, 1, kArgumentBytes);
    }
  }
};

}  // namespace

std::unique_ptr<bench::Subject> vulkan_decided(bench::Workbench& bench, const Config& config, const Decided& what) {
  const bench::vulkan::VulkanDevice& device = bench::vulkan::vulkan_device(bench.device());
  const Context& context = device.context();
  auto recording = std::make_shared<DecidedRecording>(
      DecidedRecording{.config = config,
                       .work = {context, what.work},
                       .decide = {context, what.decide},
                       .work_layout = bench::vulkan::compute_pipeline(*what.work.kernel).layout(),
                       .decide_layout = bench::vulkan::compute_pipeline(*what.decide.kernel).layout(),
                       .arguments = {}});
  if (config.way != DispatchMethod::kKnown && config.way != DispatchMethod::kKnownLoop) {
    recording->arguments =
        std::make_unique<IndirectArguments>(context, (config.is_loop() ? 1 : config.dispatches) * kPairBytes);
  }
  bench::vulkan::Body body;
  body.name = "work that the device decides about";
  body.kernel = what.work.kernel;
  body.record = [recording](const vk::raii::CommandBuffer& commands, std::uint32_t /*part*/, std::uint32_t /*times*/) {
    if (recording->config.is_loop()) {
      recording->repeated(commands);
    } else {
      recording->guarded(commands);
    }
  };
  return device.prepare(std::move(body));
}
