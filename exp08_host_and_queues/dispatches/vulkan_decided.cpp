#include "decided.h"
#include "indirect_arguments.h"
#include "vulkan/device/device.h"
#include "vulkan/launch/compute_pipeline.h"

namespace {

using bench::vulkan::Command;
using bench::vulkan::Context;

constexpr std::uint64_t kPairBytes = 2 * kArgumentBytes;  // the work's arguments, then those of the kernel that decides next

constexpr vk::AccessFlags2 kWords = vk::AccessFlagBits2::eShaderStorageRead | vk::AccessFlagBits2::eShaderStorageWrite;

// Behind the kernel that decides: kernels read its words, the dispatches its arguments, and conditions their first word.
void order_behind_decision(const vk::raii::CommandBuffer& commands, bool is_predicated) {
  using Stage = vk::PipelineStageFlagBits2;
  using Access = vk::AccessFlagBits2;
  vk::PipelineStageFlags2 readers = Stage::eComputeShader | Stage::eDrawIndirect;
  vk::AccessFlags2 accesses = kWords | Access::eIndirectCommandRead;
  if (is_predicated) {
    readers |= Stage::eConditionalRenderingEXT;
    accesses |= Access::eConditionalRenderingReadEXT;
  }
  bench::vulkan::memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, readers, accesses);
}

// Behind the work: the kernel that decides next reads its words. Where it writes the same arguments again, those that read them
// are waited for, too.
void order_behind_work(const vk::raii::CommandBuffer& commands, bool is_predicated, bool has_same_arguments) {
  using Stage = vk::PipelineStageFlagBits2;
  vk::PipelineStageFlags2 done = Stage::eComputeShader;
  if (has_same_arguments) done |= Stage::eDrawIndirect;
  if (is_predicated) done |= Stage::eConditionalRenderingEXT;
  bench::vulkan::memory_barrier(commands, done, vk::AccessFlagBits2::eShaderStorageWrite, Stage::eComputeShader, kWords);
}

struct DecidedRecording {
  Config config;
  Command work;
  Command decide;
  vk::PipelineLayout work_layout;
  vk::PipelineLayout decide_layout;
  std::unique_ptr<IndirectArguments> arguments;  // none where nothing is decided

  bool is_predicated() const { return config.way == DispatchMethod::kPredicated; }
  Decision decision(std::uint32_t i) const {
    return arguments ? decision_for(arguments->address() + i * kPairBytes) : Decision{};
  }
  void order_decided(const vk::raii::CommandBuffer& commands) const {
    if (arguments) {
      order_behind_decision(commands, is_predicated());
    } else {
      bench::vulkan::order_dispatches(commands);
    }
  }
  void order_worked(const vk::raii::CommandBuffer& commands) const {
    if (arguments) {
      order_behind_work(commands, is_predicated(), config.is_loop());
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
      if (i > 0) order_worked(commands);
      decide.bind(commands);
      push(commands, decide_layout, decide_params(config, i, decision(i)));
      commands.dispatch(1, 1, 1);
      order_decided(commands);
      work.bind(commands);
      push(commands, work_layout, WorkParams{i * config.blocks, 0, 0});
      dispatch(commands, config.blocks, i * kPairBytes);
    }
  }

  void repeated(const vk::raii::CommandBuffer& commands) const {
    decide.bind(commands);
    push(commands, decide_layout, advance_params(config, true, decision(0)));
    commands.dispatch(1, 1, 1);
    const std::uint32_t steps = arguments ? kMostSteps : config.dispatches;
    for (std::uint32_t step = 0; step < steps; ++step) {
      order_decided(commands);
      // The condition is the first word of the work's arguments, its workgroups: 0 once the loop is over, and then it stays so.
      // It may be read once or before each dispatch (Vulkan 1.3, vkCmdBeginConditionalRenderingEXT): where a loop ends within
      // its steps, the dispatches that are left have no workgroups either way.
      if (is_predicated() && step % kPredicatedSteps == 0)
        commands.beginConditionalRenderingEXT({.buffer = arguments->handle(), .offset = 0});
      work.bind(commands);
      push(commands, work_layout, LoopedParams{config.blocks});
      dispatch(commands, config.blocks, 0);
      order_worked(commands);
      decide.bind(commands);
      push(commands, decide_layout, advance_params(config, false, decision(0)));
      dispatch(commands, 1, kArgumentBytes);
      if (is_predicated() && (step + 1) % kPredicatedSteps == 0) commands.endConditionalRenderingEXT();
    }
  }
};

}  // namespace

std::unique_ptr<bench::Subject> vulkan_decided(bench::Workbench& bench, const Config& config, const Decided& what) {
  const bench::vulkan::VulkanDevice& device = bench::vulkan::vulkan_device(bench.device());
  const Context& context = device.context();
  static_assert(kMostSteps % kPredicatedSteps == 0);
  const bool is_predicated = config.way == DispatchMethod::kPredicated;
  if (is_predicated && !context.features().conditional_rendering)
    throw bench::Skip("{} lacks VK_EXT_conditional_rendering", context.info().name);
  auto recording = std::make_shared<DecidedRecording>(
      DecidedRecording{.config = config,
                       .work = {context, what.work},
                       .decide = {context, what.decide},
                       .work_layout = bench::vulkan::compute_pipeline(*what.work.kernel).layout(),
                       .decide_layout = bench::vulkan::compute_pipeline(*what.decide.kernel).layout(),
                       .arguments = {}});
  if (config.way != DispatchMethod::kKnown && config.way != DispatchMethod::kKnownLoop) {
    recording->arguments = std::make_unique<IndirectArguments>(
        context, (config.is_loop() ? 1 : config.dispatches) * kPairBytes,
        is_predicated ? vk::BufferUsageFlagBits::eConditionalRenderingEXT : vk::BufferUsageFlags());
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
