// What do an atomic operation's type, its place, its rivals, and the use of its result cost?
#include <fmt/format.h>

#include <numeric>
#include <span>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
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

const bench::Kernel& kernel(Workbench& bench, const Config& config) {
  // CUDA has all of a place in one file, but for what came with compute capability 9.0.
  const bool of_its_own = config.op == Op::kMin && config.type == Type::kF16x2;
  const std::string stem = of_its_own ? config.kernel() : config.shared ? "atomic_shared" : "atomic_global";
  return bench.kernel({.entry = config.kernel(),
                       .block_x = config.block(),
                       .buffers = 2,
                       .params_bytes = sizeof(AtomicParams),
                       .cuda = {.own = {.from = bench::kernels::exp09(), .stem = stem}},
                       .vulkan = {.own = {.from = bench::kernels::exp09(), .stem = config.kernel()},
                                  .binding = bench::BufferBinding::kAddress}});
}

// A launch's buffers, and what it must leave in them.
struct Run {
  Workbench& bench;
  Config config;
  bench::Launch launch;
  Buffer& data;
  Buffer& result;

  std::vector<std::uint32_t> words(const Buffer& buffer, std::uint64_t count) const {
    std::vector<std::uint32_t> words(count);
    bench.device().download(buffer, 0, std::as_writable_bytes(std::span(words)));
    return words;
  }
  void start_over() const {
    bench.device().fill(data, 0, config.data_words() * 4, first_word(config.op, config.type));
    bench.device().fill(result, 0, config.result_words() * 4, bench::kPoison);
  }
  // What one launch from the beginning has left. Returns a loop's turns.
  std::vector<std::uint32_t> verified() const {
    Left left;
    left.data = numbers(words(data, config.data_words()), config.type);
    if (config.used) left.returned = numbers(words(result, config.result_words()), config.type);
    if (config.loops()) left.turns = words(result, config.threads);
    if (const std::string text = wrong(config, left); !text.empty()) throw bench::Error("wrong output: {}", text);
    return left.turns;
  }
};

// Launches go on from what the one before has left, which changes nothing in what they do. So they are verified before the
// samples and after them, each time from the beginning; a loop's turns are those of one more such launch.
Prepared set_up(Workbench& bench, const Config& config) {
  bench::Launch launch;
  launch.kernel = &kernel(bench, config);
  launch.grid = {config.grid(), 1, 1};
  launch.params = bench::params_bytes(AtomicParams{config.addresses - 1, config.steps, config.turns(), 1});
  Buffer& data = bench.output("data", config.data_words());
  Buffer& result = bench.output("result", config.result_words());
  launch.buffers = {&data, &result};
  const Run run{bench, config, launch, data, result};
  const auto run_once = [run] {
    run.start_over();
    run.bench.device().run(run.launch);
    return run.verified();
  };
  run_once();
  bench.compared();
  bench.makes_outputs_anew([run] { run.start_over(); }, [run] { run.verified(); });
  return {bench.device().prepare(launch, {}), [run, run_once] {
            if (!run.config.loops()) return bench::Values{};
            const std::vector<std::uint32_t> turns = run_once();
            const double all = std::accumulate(turns.begin(), turns.end(), 0.);
            return bench::Values{{"turns", all / static_cast<double>(run.config.operations())}};
          }};
}

bench::Case make_case(const Config& config) {
  bench::Case result = bench::twin(std::string(to_string(config.op)),
                                   {{"type", to_string(config.type)},
                                    {"place", config.shared ? "shared" : "global"},
                                    {"result", config.used ? "used" : "unused"},
                                    {"addresses", config.addresses},
                                    {"threads", config.threads}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  if (!config.has_vulkan()) result.apis = {{bench::cuda::kApi}};
  result.elements = config.operations();
  result.footprint_bytes = config.data_words() * 4;
  // Whoever reads the table wants differences of a tenth and more; there are many cases.
  result.budget_part = 0.1;
  result.host_samples = 1;
  result.vulkan.atomics = true;
  return result;
}

// A coarse sweep: 32 bits, and all rivals or none; no loops of a large crowd, where most turns are in vain.
bool is_coarse(const Config& config) {
  const bool crowded = config.loops() && config.threads > 1U << 10 && config.addresses < 1U << 20;
  const bool other_float = config.type == Type::kF32 && (config.op == Op::kExchange || config.op == Op::kMin || config.used);
  return (config.type == Type::kI32 || config.type == Type::kF32) && !other_float &&
         (config.addresses == 1 || config.addresses == (config.shared ? 1U << 10 : 1U << 20)) && !crowded;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) {
    if (!plan.quick || is_coarse(config)) list.push_back(make_case(config));
  }
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp09_atomics",
      .question = "What do an atomic operation's type, its place, its rivals, and the use of its result cost?",
      .params = {Column::text("type", "i32, i64, f32, f64, or two halves at once: f16x2"),
                 Column::text("place", "global: a buffer; shared: a block's shared memory"),
                 Column::text("result", "whether what comes back is used"),
                 Column::integer("addresses", "", "in turn; in shared memory each block has so many of its own"),
                 Column::integer("threads", "threads", "of a launch")},
      .model = {},
      .measured = {Column::real("turns", "", "of a loop, for one addition").optional()},
      .variants = {{"add", "adds 1"},
                   {"min", "minimum with a random number"},
                   {"exchange", "swaps in a number of its own"},
                   {"cas", "adds 1 in a loop of compare-and-swaps"},
                   {"exchange_loop", "adds 1 in a loop of two exchanges: takes what is there and puts it back, added to"},
                   {"first", "a subgroup adds up first, and one of its threads adds that"},
                   {"add_generic", "adds 1 by CUDA's atomicAdd(__half2*), which asks of each address which memory it is in"},
                   {"add_known", "adds a 1 that stands in the source, to one word that the compiler sees to be one"},
                   {"aa_control_a", "A/A control: the first addition, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
