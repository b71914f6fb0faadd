#include "generated_commands.h"

#include <fmt/format.h>

#include <array>

namespace {

using bench::vulkan::Context;

constexpr std::uint32_t kTokens = 2;
constexpr const char* kPreprocessed = "preprocessed commands";

// Of the device's, what the layout and its sequences take. Throws Skip.
void check_limits(const Context& context, std::uint32_t jobs) {
  if (!context.features().generated_commands)
    throw bench::Skip("{} lacks VK_EXT_device_generated_commands", context.info().name);
  const auto limits =
      bench::vulkan::properties_of<vk::PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT>(context.physical_device());
  if (!(limits.supportedIndirectCommandsShaderStages & vk::ShaderStageFlagBits::eCompute))
    throw bench::Skip("{} generates no commands for compute shaders (supportedIndirectCommandsShaderStages)",
                      context.info().name);
  const auto at_most = [&](std::uint32_t wanted, std::uint32_t most, const char* limit) {
    if (wanted > most) throw bench::Skip("{} wanted; {} of {} is {}", wanted, limit, context.info().name, most);
  };
  at_most(jobs, limits.maxIndirectSequenceCount, "maxIndirectSequenceCount");
  at_most(kTokens, limits.maxIndirectCommandsTokenCount, "maxIndirectCommandsTokenCount");
  at_most(sizeof(JobParams), limits.maxIndirectCommandsTokenOffset, "maxIndirectCommandsTokenOffset");
  at_most(sizeof(Sequence), limits.maxIndirectCommandsIndirectStride, "maxIndirectCommandsIndirectStride");
}

vk::raii::IndirectCommandsLayoutEXT make_commands_layout(const Context& context, vk::PipelineLayout pipeline_layout,
                                                         std::uint32_t jobs, bool is_preprocessed) {
  check_limits(context, jobs);
  using Token = vk::IndirectCommandsTokenTypeEXT;
  using Usage = vk::IndirectCommandsLayoutUsageFlagBitsEXT;
  const vk::IndirectCommandsPushConstantTokenEXT params{
      .updateRange = {.stageFlags = vk::ShaderStageFlagBits::eCompute, .offset = 0, .size = sizeof(JobParams)}};
  const std::array<vk::IndirectCommandsLayoutTokenEXT, kTokens> tokens = {
      {{.type = Token::ePushConstant, .data = {&params}, .offset = 0},
       {.type = Token::eDispatch, .offset = sizeof(JobParams)}}};
  const vk::IndirectCommandsLayoutCreateInfoEXT info{
      .flags = is_preprocessed ? Usage::eExplicitPreprocess : vk::IndirectCommandsLayoutUsageFlagsEXT(),
      .shaderStages = vk::ShaderStageFlagBits::eCompute,
      .indirectStride = sizeof(Sequence),
      .pipelineLayout = pipeline_layout,
      .tokenCount = kTokens,
      .pTokens = tokens.data()};
  return BENCH_VK(context.device().createIndirectCommandsLayoutEXT(info), "{} tokens", kTokens);
}

}  // namespace

JobTable::JobTable(const Context& context, std::uint32_t jobs)
    : allocation_(bench::vulkan::allocate_buffer(
          context, {.bytes = kTableHeaderBytes + jobs * sizeof(Sequence),
                    .label = "table of jobs",
                    .usage = vk::BufferUsageFlagBits::eIndirectBuffer | vk::BufferUsageFlagBits::eShaderDeviceAddress |
                             vk::BufferUsageFlagBits::eTransferDst,
                    .kinds = bench::vulkan::device_local()})),
      address_(context.device().getBufferAddress({.buffer = *allocation_.buffer})) {}

GeneratedCommands::GeneratedCommands(const Context& context, const bench::vulkan::ComputePipeline& pipeline,
                                     const JobTable& table, std::uint32_t jobs, bool is_preprocessed)
    : is_preprocessed_(is_preprocessed),
      layout_(make_commands_layout(context, pipeline.layout(), jobs, is_preprocessed)),
      pipeline_{.pipeline = pipeline.handle()} {
  const vk::raii::Device& device = context.device();
  const vk::MemoryRequirements wanted =
      device
          .getGeneratedCommandsMemoryRequirementsEXT(
              {.pNext = &pipeline_, .indirectCommandsLayout = *layout_, .maxSequenceCount = jobs})
          .memoryRequirements;
  vk::DeviceAddress address = 0;
  if (wanted.size != 0) {
    // A usage that only the wider flags of VK_KHR_maintenance5 have; and room to begin where the driver wants it.
    const vk::BufferUsageFlags2CreateInfo usage{.usage = vk::BufferUsageFlagBits2::ePreprocessBufferEXT |
                                                         vk::BufferUsageFlagBits2::eShaderDeviceAddress};
    buffer_ = BENCH_VK(device.createBuffer({.pNext = &usage, .size = wanted.size + wanted.alignment}), "{} bytes", wanted.size);
    context.label(buffer_, kPreprocessed);
    const vk::MemoryRequirements need = buffer_.getMemoryRequirements();
    const std::uint32_t type = bench::vulkan::choose_memory_type(
        context, kPreprocessed,
        {.bytes = need.size, .kinds = bench::vulkan::device_local(), .allowed = need.memoryTypeBits & wanted.memoryTypeBits});
    const vk::MemoryAllocateFlagsInfo flags{.flags = vk::MemoryAllocateFlagBits::eDeviceAddress};
    memory_ = BENCH_VK(device.allocateMemory({.pNext = &flags, .allocationSize = need.size, .memoryTypeIndex = type}),
                       "{} bytes", need.size);
    BENCH_VK(buffer_.bindMemory(*memory_, 0));
    address = device.getBufferAddress({.buffer = *buffer_});
    address = (address + wanted.alignment - 1) / wanted.alignment * wanted.alignment;
  }
  info_ = {.pNext = &pipeline_,
           .shaderStages = vk::ShaderStageFlagBits::eCompute,
           .indirectCommandsLayout = *layout_,
           .indirectAddress = table.address() + kTableHeaderBytes,
           .indirectAddressSize = jobs * sizeof(Sequence),
           .preprocessAddress = address,
           .preprocessSize = wanted.size,
           .maxSequenceCount = jobs,
           .sequenceCountAddress = table.address()};
}

void GeneratedCommands::preprocess(const vk::raii::CommandBuffer& commands) const {
  commands.preprocessGeneratedCommandsEXT(info_, *commands);
}

void GeneratedCommands::execute(const vk::raii::CommandBuffer& commands) const {
  commands.executeGeneratedCommandsEXT(is_preprocessed_ ? vk::True : vk::False, info_);
}
