// What do a load's and a store's cache operators and hints become, and what do they spare the caches?
#include <string_view>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

const bench::Kernel& kernel(Workbench& bench, const Config& config) {
  const std::string stem = config.has_reuse() ? "reuse" : config.variant();  // of the .cu
  return bench.kernel({.entry = config.entry(),
                       .block_x = config.block,
                       .buffers = config.kind == Kind::kFill ? 1U : 3U,
                       .params_bytes = sizeof(CacheParams),
                       .cuda = {.own = {.from = bench::kernels::exp06(), .stem = stem}, .most_l1 = true},
                       .vulkan = {.own = {.from = bench::kernels::exp06(), .stem = config.entry()},
                                  .binding = bench::BufferBinding::kAddress}});
}

// Six steps, the same for both APIs: kernel, inputs, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  bench::Launch launch;
  launch.kernel = &kernel(bench, config);
  launch.grid = {config.grid, 1, 1};
  launch.params = bench::params_bytes(config.params);
  if (config.kind != Kind::kFill) {
    launch.buffers = {&bench.input(0, config.stream_words), &bench.input(1, std::max<std::uint64_t>(config.reuse_words(), 1))};
  }
  Buffer& out = bench.output("out", out_words(config));
  launch.buffers.push_back(&out);

  bench.device().run(launch);
  check(bench, out, config);
  bench.makes_outputs_anew();
  return {bench.device().prepare(launch, {}), [&bench, &out, config] { return measure(bench, out, config); }, bench::kReadings};
}

bench::Case make_case(const Config& config) {
  bench::Case result = bench::twin(config.variant(),
                                   {{"op", config.op.name},
                                    {"level", config.level},
                                    {"reuse_bytes", bench::unless_zero(config.reuse_bytes)},
                                    {"stream_bytes", config.stream_bytes}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  result.apis = bench::those({{bench::cuda::kApi, config.has_cuda()}, {bench::vulkan::kApi, config.has_vulkan()}});
  result.elements = config.accesses();
  result.useful_bytes = config.accesses() * 4;
  result.footprint_bytes = config.has_reuse() ? config.reuse_words() * 4 : config.stream_bytes;
  result.cache = config.has_reuse() ? bench::Cache::kWarm : bench::Cache::kCold;
  result.budget_part = 0.12;
  result.host_samples = 1;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  const bool small = plan.cpu || plan.smoke;
  for (const Config& config : all_configs(small, plan.max_buffer_bytes)) {
    // A coarse sweep: beside no stream, and beside one that pushes the set out for certain.
    const bool coarse = !config.has_reuse() || config.stream_bytes == 0 || config.stream_bytes >= 8 * config.reuse_bytes;
    if (!plan.quick || small || coarse) list.push_back(make_case(config));
  }
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_cache_ops",
      .question = "What do a load's and a store's cache operators and hints become, and what do they spare the caches?",
      .params = {Column::text("op", "the operator, hint or qualifier of the access"),
                 Column::text("level", "where the reuse set should stay: l1 or l2").optional(),
                 Column::integer("reuse_bytes", "bytes", "of the reuse set: a block's (l1) or the grid's (l2)").optional(),
                 Column::integer("stream_bytes", "bytes", "read between two visits to the set; without one, of a launch")},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"stream", "a plain sum, from memory, with the operator `op`: the control, no difference expected"},
                   {"fill", "plain stores, to memory, with the operator `op`"},
                   {"reuse",
                    "a reuse set read again and again beside a stream that is read with `op`; level l1: both a block's, "
                    "the stream from L2; l2: both the grid's, the stream from memory"},
                   {"reuse_ro",
                    "the same, and the kernel promises that nothing writes the reuse set: ld.global.nc, restrict readonly"},
                   {"keep", "the same with `op` on the reuse set and plain loads for the stream"},
                   {"aa_control_a", "A/A control: the plain stream, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
