// What does it cost to let the GPU decide which small dispatches run, and how large they are?
#include <algorithm>
#include <vector>

#include "../host.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/device/kernel_images.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "jobs.h"

namespace {

using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kCounts[] = {1, 10, 100, 1000};
constexpr std::uint32_t kWorkNs = 10'000;

struct JobsWayOf {
  JobsWay way;
  std::optional<bench::Api> api;  // none: both have it
};
const JobsWayOf kWays[] = {{JobsWay::kKnown, {}},
                           {JobsWay::kOneGrid, {}},
                           {JobsWay::kIndirect, bench::vulkan::kApi},
                           {JobsWay::kGenerated, bench::vulkan::kApi},
                           {JobsWay::kPreprocessed, bench::vulkan::kApi},
                           {JobsWay::kExecuted, bench::vulkan::kApi},
                           {JobsWay::kNodes, bench::cuda::kApi},
                           {JobsWay::kGraphs, bench::cuda::kApi},
                           {JobsWay::kChildren, bench::cuda::kApi}};
// CUDA's ways to run a job or leave it out by a graph's node, beside kNodes.
const JobsWay kSetWays[] = {JobsWay::kNodesConstant, JobsWay::kNodesApplied, JobsWay::kNodesInOneCall, JobsWay::kConditional,
                            JobsWay::kSwitched};

// Six steps, the same for both APIs: kernels, no input, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const JobsConfig& config) {
  const double tick_ns = bench.device().info().realtime_tick_ns;
  if (tick_ns <= 0) throw bench::Skip("a clock that kernels read wanted (VK_KHR_shader_clock), none found");
  // Reading the clock takes longer than a nanosecond: so many turns are always enough.
  const PlanParams plan = {config.jobs, config.runs, static_cast<std::uint32_t>(config.work_ns / tick_ns), config.work_ns, {}};
  // First: a device that is there for its compiler alone lists them, and has no memory for what follows.
  load_kernel(bench, config.plan_name(), 0, sizeof(PlanParams));
  if (config.reads_table()) {
    load_kernel(bench, "all_jobs", 1, sizeof(AllJobsParams));
  } else {
    load_kernel(bench, "job", 1, sizeof(JobParams));
  }
  const bench::Buffer& tags = bench.output("tags", config.blocks());
  const bench::PerApi<decltype(&cuda_jobs)> sides = {{bench::cuda::kApi, cuda_jobs}, {bench::vulkan::kApi, vulkan_jobs}};
  TimedJobs made = sides.at(bench.device().info().api, "jobs that the device plans")(bench, config, tags, plan);

  // Through what will be timed.
  made.subject->time_host(1);
  // Three submissions in a row: does the last one, too, leave no error?
  if (std::string_view(config.variant) == "led_in") made.subject->time_device(bench::sample_spec(bench::Cache::kWarm, 1));
  bench::verify<std::uint32_t>(bench, "tags of jobs' blocks", tags, config.blocks(), bench::kGuardWords,
                               [config](std::uint64_t i) { return word_after(config, i, bench::kPoison); });
  if (made.errors != nullptr) {
    bench::verify<std::uint32_t>(bench, "errors on the device", *made.errors, config.jobs, bench::kGuardWords,
                                 [](std::uint64_t /*job*/) { return 0U; });
  }
  bench.makes_outputs_anew();
  return {std::move(made.subject), host_values};
}

bench::Case make_case(const JobsConfig& config, std::optional<bench::Api> api = {}) {
  bench::Case result = bench::twin(
      config.variant, {{"way", config.way_name()}, {"jobs", config.jobs}, {"runs", config.runs}, {"work_ns", config.work_ns}},
      [=](Workbench& bench) { return set_up(bench, config); });
  if (api) result.apis = {{*api}};
  // All on one device: what else it has enabled is the same for whatever is compared.
  result.vulkan.generated_commands = true;
  result.elements = config.blocks();
  result.spins = config.work_ns != 0;
  result.fixed_batch = 1;
  result.budget_part = 0.1;
  result.host_samples = 20;
  return result;
}

// What an opponent of the ways above would choose: other numbers of chains, nodes that are set by fewer calls or have their
// parameters, conditional nodes, graphs that a thread each launches, and jobs that run here and there.
void add_others(std::vector<bench::Case>& list, const std::vector<std::uint32_t>& counts) {
  const std::optional<bench::Api> cuda = bench::cuda::kApi;
  const std::uint32_t most = counts.back();
  for (const std::uint32_t jobs : counts) {
    if (jobs <= kMostGraphs) list.push_back(make_case({"planned", JobsWay::kGraphsByThreads, jobs, jobs}, cuda));
    if (jobs < 10) continue;
    for (const JobsWay way : kSetWays) list.push_back(make_case({"planned", way, jobs, jobs}, cuda));
    for (const std::uint32_t chains : {8U, 32U}) {
      if (jobs != most && jobs < 100) continue;
      for (const JobsWay way : {JobsWay::kKnown, JobsWay::kNodes}) {
        list.push_back(make_case({"planned", way, jobs, jobs, 0, chains}, cuda));
      }
    }
  }
  for (const std::uint32_t runs : {0U, most / 2}) {
    for (const JobsWay way : kSetWays) list.push_back(make_case({"culled", way, most, runs}, cuda));
  }
  // What the gate does to a sample: `planned` in two more ways. `children`, which is one launch, is their own control.
  for (const char* control : {"led_in", "not_held"}) {
    for (const std::uint32_t jobs : counts) {
      if (jobs != most && jobs < 100) continue;
      for (const JobsWay way : {JobsWay::kKnown, JobsWay::kNodes, JobsWay::kChildren}) {
        for (const std::uint32_t work_ns : {0U, kWorkNs}) list.push_back(make_case({control, way, jobs, jobs, work_ns}, cuda));
      }
    }
  }
  for (const std::uint32_t runs : {most / 2, most * 9 / 10}) {
    for (const JobsWayOf& one : kWays) {
      if (one.way == JobsWay::kExecuted || one.way == JobsWay::kGraphs) continue;
      list.push_back(make_case({"scattered", one.way, most, runs}, one.api));
    }
  }
}

std::vector<bench::Case> cases(const Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  const std::vector<std::uint32_t> counts = plan.quick ? std::vector<std::uint32_t>{small ? 20U : 1000U}
                                            : small    ? std::vector<std::uint32_t>{1, 20}
                                                       : std::vector(std::begin(kCounts), std::end(kCounts));
  std::vector<bench::Case> list;
  const auto add = [&list](const char* variant, std::uint32_t jobs, std::uint32_t runs, std::uint32_t work_ns) {
    for (const JobsWayOf& one : kWays) {
      if (one.way == JobsWay::kGraphs && jobs > kMostGraphs) continue;
      list.push_back(make_case({variant, one.way, jobs, runs, work_ns}, one.api));
    }
  };
  for (const std::uint32_t work_ns : {0U, kWorkNs}) {
    for (const std::uint32_t jobs : counts) add("planned", jobs, jobs, work_ns);
  }
  const std::uint32_t most = counts.back();
  for (const std::uint32_t runs : {0U, most / 2}) add("culled", most, runs, 0);
  if (!plan.quick) add_others(list, counts);
  for (const bench::Case& control : bench::aa_controls(make_case({"planned", JobsWay::kKnown, most, most, kWorkNs}))) {
    list.push_back(control);
  }
  return list;
}

}  // namespace

const bench::Kernel& load_kernel(Workbench& bench, const char* stem, std::uint32_t buffers, std::size_t params_bytes) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), stem),
                       .entry = stem,
                       .block_x = kBlock,
                       .buffers = buffers,
                       .params_bytes = static_cast<std::uint32_t>(params_bytes)});
}

bench::Launch plan_launch(Workbench& bench, const JobsConfig& config, const PlanParams& plan) {
  return {.kernel = &load_kernel(bench, config.plan_name(), 0, sizeof(PlanParams)),
          .grid = {(plan.jobs + kBlock - 1) / kBlock, 1, 1},
          .params = bench::params_bytes(plan)};
}

bench::Launch job_launch(Workbench& bench, const bench::Buffer& tags) {
  return {.kernel = &load_kernel(bench, "job", 1, sizeof(JobParams)),
          .buffers = {&tags},
          .params = bench::params_bytes(JobParams{})};
}

bench::Launch all_jobs_launch(Workbench& bench, const bench::Buffer& tags, const AllJobsParams& params, std::uint32_t jobs) {
  return {.kernel = &load_kernel(bench, "all_jobs", 1, sizeof(AllJobsParams)),
          .grid = {jobs * EXP08_MOST_BLOCKS, 1, 1},
          .buffers = {&tags},
          .params = bench::params_bytes(params)};
}

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_generated",
      .question = "What does it cost to let the GPU decide which small dispatches run, and how large they are?",
      .params = {Column::text("way", "in which jobs are run: see DESIGN.md"),
                 Column::integer("jobs", "", "that there may be, of 1 to 4 blocks of 256 threads each"),
                 Column::integer("runs", "", "of which so many run"),
                 Column::integer("work_ns", "ns", "that a block works, by the GPU's clock")},
      .model = {},
      .measured = host_columns(),
      .variants = {{"planned", "a kernel decides how large `jobs` independent jobs are, and all of them run; times are of all"},
                   {"culled", "the same, but the kernel decides that half or none of them run"},
                   {"scattered", "the same, but half or nine tenths of them run, and those are here and there"},
                   {"led_in", "planned, but two untimed submissions stand between CUDA's gate and a sample"},
                   {"not_held", "planned, but without CUDA's gate: the GPU may begin a sample while the host submits it"},
                   {"aa_control_a", "A/A control: many independent jobs, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
