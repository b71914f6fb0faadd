#include "generated_commands.h"
#include "jobs.h"
#include "vulkan/device/device.h"

namespace {

using bench::vulkan::Command;
using bench::vulkan::Context;
using Stage = vk::PipelineStageFlagBits2;
using Access = vk::AccessFlagBits2;

// Who reads what the kernel that plans wrote.
struct Reader {
  vk::PipelineStageFlags2 stages;
  vk::AccessFlags2 accesses;
};
// Source: Vulkan specification, "Device-Generated Commands": preprocessing reads in a stage of its own, and execution where
// indirect commands are read. Commands that are preprocessed within their execution have both.
Reader reader_of(JobsWay way) {
  switch (way) {
    case JobsWay::kIndirect:
      return {Stage::eDrawIndirect, Access::eIndirectCommandRead};
    case JobsWay::kGenerated:
    case JobsWay::kPreprocessed:
    case JobsWay::kExecuted:
      return {Stage::eDrawIndirect | Stage::eCommandPreprocessEXT,
              Access::eIndirectCommandRead | Access::eCommandPreprocessReadEXT};
    default:
      return {Stage::eComputeShader, Access::eShaderStorageRead};
  }
}

struct JobsRecording {
  JobsConfig config;
  PlanParams planned;
  Command plan;
  Command job;  // or all of them
  vk::PipelineLayout layout;
  std::unique_ptr<JobTable> table;
  std::unique_ptr<GeneratedCommands> generated;

  // The jobs' table, and what is made of it by a command of its own.
  void prepare(const vk::raii::CommandBuffer& commands) const {
    if (config.is_scattered() && config.is_generated()) {  // the kernel counts from zero
      commands.fillBuffer(table->handle(), 0, sizeof(std::uint32_t), 0);
      bench::vulkan::memory_barrier(commands, Stage::eClear, Access::eTransferWrite, Stage::eComputeShader,
                                    Access::eShaderStorageRead | Access::eShaderStorageWrite);
    }
    plan.bind(commands);
    plan.record(commands);
    const Reader reader = reader_of(config.way);
    bench::vulkan::memory_barrier(commands, Stage::eComputeShader, Access::eShaderStorageWrite, reader.stages, reader.accesses);
    if (config.way != JobsWay::kPreprocessed && config.way != JobsWay::kExecuted) return;
    job.bind(commands);
    generated->preprocess(commands);
    bench::vulkan::memory_barrier(commands, Stage::eCommandPreprocessEXT, Access::eCommandPreprocessWriteEXT,
                                  Stage::eDrawIndirect, Access::eIndirectCommandRead);
  }

  void jobs(const vk::raii::CommandBuffer& commands) const {
    job.bind(commands);
    if (generated != nullptr) return generated->execute(commands);
    if (config.way == JobsWay::kOneGrid) return job.record(commands);
    for (std::uint32_t i = 0; i < config.jobs; ++i) {
      if (config.way == JobsWay::kKnown && !config.does_run(i)) continue;
      commands.pushConstants<JobParams>(layout, vk::ShaderStageFlagBits::eCompute, 0, params_of(planned, i));
      if (config.way == JobsWay::kKnown) {
        commands.dispatch(EXP08_JOB_BLOCKS(i), 1, 1);
      } else {
        commands.dispatchIndirect(table->handle(), JobTable::grid_offset(i));
      }
    }
  }
};

}  // namespace

TimedJobs vulkan_jobs(bench::Workbench& bench, const JobsConfig& config, const bench::Buffer& tags, const PlanParams& plan) {
  const bench::vulkan::VulkanDevice& device = bench::vulkan::vulkan_device(bench.device());
  const Context& context = device.context();
  auto table = std::make_unique<JobTable>(context, config.jobs);
  PlanParams planned = plan;
  planned.table = table_at(table->address());
  const bench::Launch launch =
      config.way == JobsWay::kOneGrid ? all_jobs_launch(bench, tags, {0, planned.table}, config.jobs) : job_launch(bench, tags);
  const bench::vulkan::ComputePipeline& pipeline = bench::vulkan::compute_pipeline(*launch.kernel);
  std::unique_ptr<GeneratedCommands> generated;
  if (config.is_generated()) {
    generated = std::make_unique<GeneratedCommands>(context, pipeline, *table, config.jobs, config.way != JobsWay::kGenerated);
  }
  auto recording = std::make_shared<JobsRecording>(JobsRecording{.config = config,
                                                                 .planned = planned,
                                                                 .plan = {context, plan_launch(bench, config, planned)},
                                                                 .job = {context, launch},
                                                                 .layout = pipeline.layout(),
                                                                 .table = std::move(table),
                                                                 .generated = std::move(generated)});
  bench::vulkan::Body body;
  body.name = "jobs that the device plans";
  body.kernel = launch.kernel;
  body.unordered = true;
  const bool is_ahead = config.way == JobsWay::kExecuted;
  if (is_ahead) body.before = [recording](const vk::raii::CommandBuffer& commands) { recording->prepare(commands); };
  body.record = [recording, is_ahead](const vk::raii::CommandBuffer& commands, std::uint32_t /*part*/,
                                      std::uint32_t /*times*/) {
    if (!is_ahead) recording->prepare(commands);
    recording->jobs(commands);
  };
  return {device.prepare(std::move(body))};
}
