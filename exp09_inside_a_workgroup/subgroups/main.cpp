// What does each operation among the lanes of a subgroup become, and what does it take?
#include <algorithm>
#include <array>
#include <span>

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

constexpr std::uint32_t kSeed = 12345;

// Six steps, the same for both APIs: kernel, data, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  const bench::DeviceInfo& info = bench.device().info();
  if (config.blocks() == 0) throw bench::Skip("neither CUDA nor VK_NV_shader_sm_builtins tells how many SMs this GPU has");
  if (info.subgroup_size == 0 || info.subgroup_size > 32)
    throw bench::Skip("the kernels' masks have 32 lanes, this device's subgroups {}", info.subgroup_size);
  bench::Launch launch;
  launch.kernel = &bench.kernel({.entry = config.entry(),
                                 .block_x = config.block(),
                                 .buffers = config.rate ? 1U : 2U,
                                 .params_bytes = sizeof(SubgroupParams),
                                 .cuda = {.own = {.from = bench::kernels::exp09(), .stem = std::string(config.cuda_stem())}},
                                 .vulkan = {.own = {.from = bench::kernels::exp09(),
                                                    .stem = config.glsl_stem(),
                                                    .constants = {config.operation->number, config.even ? 1U : 0U}},
                                            .reconvergence = config.reconvergence,
                                            .full_subgroups = config.full}});
  launch.grid = {config.blocks(), 1, 1};
  launch.params = bench::params_bytes(SubgroupParams{config.steps(), kSeed, EXP09_UNROLL});
  const std::uint64_t threads = std::uint64_t{config.blocks()} * config.block();
  Buffer& result = bench.output("result", threads);
  launch.buffers = {&result};
  Buffer* report = config.rate ? nullptr : &bench.output("report", EXP09_REPORT);
  if (report != nullptr) launch.buffers.push_back(report);

  bench.device().run(launch);
  const std::vector<std::uint32_t> expected = results(config, info.subgroup_size, kSeed);
  bench::verify<std::uint32_t>(bench, result, threads, bench::kGuardWords,
                               [&](std::uint64_t i) { return expected[i % expected.size()]; });
  if (config.rate) {
    bench.makes_outputs_anew();
    return bench.device().prepare(launch, {});
  }
  const auto cycles = [&bench, report] {
    std::array<std::uint32_t, EXP09_REPORT> words{};
    bench.device().download(*report, 0, std::as_writable_bytes(std::span(words)));
    if (words[EXP09_CYCLES] == bench::kPoison) throw bench::Error("wrong output: no cycles were reported");
    return static_cast<double>(words[EXP09_CYCLES]);
  };
  bench.makes_outputs_anew(
      [&bench, report] { bench.device().fill(*report, 0, EXP09_REPORT * sizeof(std::uint32_t), bench::kPoison); },
      [cycles] { cycles(); });
  return {bench.device().prepare(launch, {}),
          [&bench, cycles, config] {
            return bench.if_counted({{"cycles", cycles() / config.steps()}});
          },
          bench::kReadings};
}

bench::Case make_case(const Config& config) {
  bench::Case result = bench::twin(
      config.name(),
      {{"operation", config.operation->name}, {"lanes", config.even ? "even" : "all"}, {"subgroups", config.subgroups()}},
      [config](Workbench& bench) { return set_up(bench, config); });
  result.apis = bench::those({{bench::cuda::kApi, !config.vulkan_alone()}, {bench::vulkan::kApi, config.has_vulkan()}});
  result.vulkan.reconvergence = config.reconvergence != bench::Reconvergence::kNone;
  result.elements = std::max<std::uint64_t>(config.operations(), 1);
  result.footprint_bytes = std::uint64_t{config.blocks()} * config.block() * 4;
  if (config.rate && config.sms != 0) result.model = {{"sm_operations", config.operations() / config.sms}};
  // Differences are of factors, not of percents; there are many cases.
  result.budget_part = 0.03;
  result.host_samples = 1;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) {
    if (!plan.quick || !(config.even || config.vulkan_alone())) list.push_back(make_case(config));
  }
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp09_subgroups",
      .question = "What does each operation among the lanes of a subgroup become, and what does it take?",
      .params =
          {Column::text("operation", "among the lanes, and an addition"),
           Column::text("lanes", "that take part: all, or the even ones behind a branch"),
           Column::text(
               "subgroups",
               "full: the Vulkan pipeline asks for full subgroups; uniform, maximal: the module declares where they meet again")
               .optional()},
      .model = {Column::integer("sm_operations", "", "of threads, that each SM makes in a launch").optional()},
      .measured = {Column::real("cycles", "cycles", "of an operation, by the SM's own clock").optional()},
      .variants = {{"chain", "one subgroup, each operation needs the one before"},
                   {"rate", "a full GPU, four chains per thread"},
                   {"chain_declared", "chain of a module that declares where invocations meet again; Vulkan alone"},
                   {"rate_declared", "rate of such a module"},
                   {"aa_control_a", "A/A control: the first chain, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
