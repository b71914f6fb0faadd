// What do branches, loops and precision cost, and do both APIs compute the same?
#include <algorithm>
#include <span>
#include <utility>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/per_api.h"
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

std::vector<std::byte> params(const Config& config) {
  switch (config.kind) {
    case Kind::kBranch:
      return bench::params_bytes(BranchParams{config.steps(), config.ways, config.shift});
    case Kind::kLoop:
      return bench::params_bytes(LoopParams{config.steps(), EXP09_BOUND});
    case Kind::kPrecision:
      return bench::params_bytes(PrecisionParams{config.threads()});
    case Kind::kSum:
      return bench::params_bytes(SumParams{config.terms(), 1});
  }
  return {};
}

// Products of the inputs, rounded.
const Buffer& products(Workbench& bench, std::uint32_t count) {
  Buffer& buffer = bench.output("products", count);
  bench.device().write(buffer, 0, std::uint64_t{count} * 4, [&](std::uint64_t done, std::span<std::byte> chunk) {
    const std::span<float> words(reinterpret_cast<float*>(chunk.data()), chunk.size() / 4);
    std::uint64_t i = done / 4;
    for (float& word : words) {
      word = bench.input_value(0, i) * bench.input_value(1, i);
      ++i;
    }
  });
  return buffer;
}

// Six steps, the same for both APIs: kernel, data, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  if (config.blocks() == 0) throw bench::Skip("neither CUDA nor VK_NV_shader_sm_builtins tells how many SMs this GPU has");
  const std::uint32_t count = config.threads();
  bench::Launch launch;
  if (config.kind == Kind::kPrecision) {
    launch.buffers = {&bench.input(0, count), &bench.input(1, count), &products(bench, count)};
  } else if (config.kind == Kind::kSum) {
    launch.buffers = {&bench.input(0, std::uint64_t{count} * config.terms())};
  }
  Buffer& out = bench.output("out", count);
  launch.buffers.push_back(&out);
  launch.params = params(config);
  std::vector<std::uint32_t> constants;
  if (config.kind == Kind::kPrecision) constants = {config.function->number};
  if (config.kind == Kind::kLoop) constants = {EXP09_BOUND};
  launch.kernel = &bench.kernel(
      {.entry = config.entry(),
       .block_x = config.block(),
       .buffers = static_cast<std::uint32_t>(launch.buffers.size()),
       .params_bytes = static_cast<std::uint32_t>(launch.params.size()),
       .cuda = {.own = {.from = bench::kernels::exp09(), .stem = std::string(config.cuda_stem())}},
       .vulkan = {.own = {.from = bench::kernels::exp09(), .stem = std::string(config.glsl_stem()), .constants = constants}}});
  launch.grid = {config.blocks(), 1, 1};

  bench.device().run(launch);
  bench::Values measured = check(bench, out, config);
  bench.makes_outputs_anew();
  return {bench.device().prepare(launch, {}), [measured = std::move(measured)] { return measured; }};
}

bench::Case make_case(const Config& config) {
  const bool branch = config.kind == Kind::kBranch;
  bench::Case result = bench::twin(config.variant(),
                                   {{"ways", bench::unless_zero(config.ways)},
                                    {"by", !branch             ? ""
                                           : config.shift == 0 ? "lane"
                                                               : "subgroup"},
                                    {"loop", config.loop},
                                    {"function", config.function != nullptr ? config.function->name : ""},
                                    {"mode", config.mode}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  result.apis = bench::those({{bench::cuda::kApi, config.cuda}, {bench::vulkan::kApi, config.vulkan}});
  result.elements = std::max<std::uint64_t>(config.elements(), 1);
  const std::uint64_t words = config.kind == Kind::kPrecision ? 4 : config.kind == Kind::kSum ? config.terms() + 1 : 1;
  result.footprint_bytes = std::uint64_t{config.threads()} * words * 4;
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
      .name = "exp09_arithmetic",
      .question = "What do branches, loops and precision cost, and do both APIs compute the same?",
      .params = {Column::integer("ways", "paths", "of a branch").optional(),
                 Column::text("by", "who takes one path together: each lane its own, or a subgroup").optional(),
                 Column::text("loop", "what is known of its bound, and what is hinted").optional(),
                 Column::text("function", "of one or two numbers").optional(),
                 Column::text("mode", "default, precise (NoContraction; CUDA: _rn) or fast; of a sum also plain").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"branch", "a full GPU, each step through all paths, of which a thread takes one"},
                   {"loop", "a full GPU, loops of 64 turns"},
                   {"precision", "one function of a million numbers, its error against the CPU's in double precision"},
                   {"sum", "1024 numbers per thread, and how much of a compensation is left"},
                   {"aa_control_a", "A/A control: the first branch, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
