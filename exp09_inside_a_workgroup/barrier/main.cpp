// What does it cost a workgroup to wait for itself, alone and with memory semantics?
#include <algorithm>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp09_kernels.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kSpins = 100000;  // of ~30 cycles: a wait in vain ends the launch after 2 ms

// Six steps, the same for both APIs: kernel, data, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  const bench::DeviceInfo& info = bench.device().info();
  // lavapipe changes from one subgroup of a workgroup to another at barriers alone.
  if (info.is_cpu && std::string_view(config.variant->stem) == "release_acquire")
    throw bench::Skip("a software device need not run a workgroup's subgroups side by side");
  bench::Launch launch;
  launch.kernel =
      &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp09(), config.variant->stem),
                     .entry = config.entry(),
                     .block_x = config.threads,
                     .constants = {static_cast<std::uint32_t>(std::max(config.variant->glsl, 0)), config.exchange ? 1U : 0U},
                     .buffers = 2,
                     .params_bytes = sizeof(BarrierParams)});
  launch.grid = {1, 1, 1};
  launch.params = bench::params_bytes(BarrierParams{config.steps(), config.group(info.subgroup_size), 1, kSpins, EXP09_UNROLL});
  Buffer& result = bench.output("result", config.threads);
  Buffer& report = bench.output("report", EXP09_REPORT);
  launch.buffers = {&result, &report};

  bench.device().run(launch);
  check(bench, result, report, config);
  bench.makes_outputs_anew(
      [&bench, &report] { bench.device().fill(report, 0, EXP09_REPORT * sizeof(std::uint32_t), bench::kPoison); },
      [&bench, &report, config] { cycles_of_a_step(bench, report, config); });
  return {bench.device().prepare(launch, {}),
          [&bench, &report, config] {
            return bench.if_counted({{"cycles", cycles_of_a_step(bench, report, config)}});
          },
          bench::kReadings};
}

bench::Case make_case(const Config& config) {
  bench::Case result =
      bench::twin(config.variant->name, {{"block", config.threads}, {"between", config.exchange ? "exchange" : "nothing"}},
                  [config](Workbench& bench) { return set_up(bench, config); });
  result.apis = bench::those({{bench::cuda::kApi, config.variant->cuda}, {bench::vulkan::kApi, config.variant->glsl != kNone}});
  result.elements = config.steps();
  result.footprint_bytes = std::uint64_t{config.threads} * 4;
  // Differences are of factors, not of percents; there are many cases.
  result.budget_part = 0.03;
  result.host_samples = 1;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) list.push_back(make_case(config));
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp09_barrier",
      .question = "What does it cost a workgroup to wait for itself, alone and with memory semantics?",
      .params = {Column::integer("block", "threads", "of the only block"),
                 Column::text("between", "two waits: nothing, or an exchange of words in shared memory")},
      .model = {},
      .measured = {Column::real("cycles", "cycles", "of a step, by the SM's own clock").optional()},
      .variants = {{"none", "no wait: the loop alone, or a thread's own word stored and read"},
                   {"barrier", "__syncthreads() and barrier(), which orders shared memory, too"},
                   {"control", "a control barrier without memory semantics; Vulkan alone"},
                   {"named", "bar.sync with a number; CUDA alone"},
                   {"named_count", "bar.sync with a number and the count of threads; CUDA alone"},
                   {"unaligned", "barrier.sync, for which a warp's threads need not be together; CUDA alone"},
                   {"barrier_or", "__syncthreads_or(), which every thread's vote takes part in; CUDA alone"},
                   {"memory_shared", "memoryBarrierShared(), of shared memory alone: nobody waits; Vulkan alone"},
                   {"memory_then_barrier", "memoryBarrierShared() and barrier(); Vulkan alone"},
                   {"threadfence_block", "__threadfence_block(), which is sequentially consistent; CUDA alone"},
                   {"threadfence_block_then_barrier", "the same, and then the barrier; CUDA alone"},
                   {"fence_block", "an acquire and release fence of all memory for the block: nobody waits"},
                   {"fence_block_then_barrier", "the same, and then the barrier"},
                   {"group_then_barrier", "groupMemoryBarrier() and barrier(); Vulkan alone"},
                   {"barrier_buffer", "a barrier that orders buffers, too, for the workgroup; Vulkan alone"},
                   {"barrier_device", "an acquire and release fence of all memory for the device, and then the barrier"},
                   {"subgroup", "__syncwarp() and subgroupBarrier()"},
                   {"release_acquire", "a barrier made of a counter: a subgroup adds with release, polls with acquire"},
                   {"mbarrier", "an mbarrier in shared memory, at which every thread arrives and waits; CUDA alone"},
                   {"mbarrier_warp", "the same, at which one thread of a warp arrives for all of it; CUDA alone"},
                   {"aa_control_a", "A/A control: the first none, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
