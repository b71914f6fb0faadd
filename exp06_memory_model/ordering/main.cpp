// What does it cost to say in which order, and for whom, memory is read and written?
#include <string_view>

#include "backends.h"
#include "core/base/error.h"
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
  return bench.kernel({.entry = config.entry(),
                       .block_x = config.block(),
                       .buffers = 2,
                       .params_bytes = sizeof(OrderParams),
                       .cuda = {.own = {.from = bench::kernels::exp06(), .stem = std::string(config.cuda_stem())}},
                       .vulkan = {.own = {.from = bench::kernels::exp06(),
                                          .stem = config.variant->entry,
                                          .constants = {static_cast<std::uint32_t>(config.order.glsl),
                                                        static_cast<std::uint32_t>(config.scope.glsl)}},
                                  .binding = bench::BufferBinding::kAddress}});
}

// A software device runs workgroups side by side as it pleases, and lavapipe ends a kernel's loops after 65535 turns, so that a
// wait may be in vain: a few tries, no times.
[[noreturn]] void skip_messages(Workbench& bench, const bench::Launch& launch, Buffer& data, const Buffer& out,
                                const Config& config) {
  constexpr int kTries = 20;
  for (int tries = 1; tries <= kTries; ++tries) {
    if (all_rounds_done(bench, out, config)) {
      // Mesa 22.3's lavapipe now and then shows a payload older than its flag, whatever the order: said, and no failure here.
      try {
        check(bench, data, out, config);
      } catch (const bench::Error& error) {
        throw bench::Skip("not timed on a software device, which {}", error.what());
      }
      throw bench::Skip("not timed on a software device; the messages arrived at try {}", tries);
    }
    fill(bench, data, config);
    bench.device().run(launch);
  }
  throw bench::Skip("this software device did not run two workgroups side by side in {} tries", kTries);
}

// Six steps, the same for both APIs: kernel, data, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  bench::Launch launch;
  launch.kernel = &kernel(bench, config);
  launch.grid = {config.grid(), 1, 1};
  const std::uint64_t items = config.variant->shape == Shape::kFence ? config.words() / 4 : config.words();
  launch.params = bench::params_bytes(OrderParams{config.steps(), static_cast<std::uint32_t>(items - 1),
                                                  config.in_flight_bytes / 16, kSpins, 0, config.advance()});
  Buffer& data = bench.output("data", config.words());
  Buffer& out = bench.output("out", out_words(config));
  fill(bench, data, config);
  launch.buffers = {&data, &out};

  bench.device().run(launch);
  if (config.variant->shape == Shape::kMessage && bench.device().info().is_cpu) skip_messages(bench, launch, data, out, config);
  check(bench, data, out, config);
  bench.makes_outputs_anew([&bench, &data, &out, config] { start_over(bench, data, out, config); },
                           [&bench, &out, config] { check_report(bench, out, config); });
  return {bench.device().prepare(launch, {}), [&bench, &out, config] { return measure(bench, out, config); }, bench::kReadings};
}

bench::Case make_case(const Config& config) {
  const bool fence = config.variant->shape == Shape::kFence;
  bench::Case result = bench::twin(config.variant->name,
                                   {{"memory_order", config.order.name},
                                    {"scope", config.scope.name},
                                    {"via", config.variant->via},
                                    {"resident_bytes", bench::unless_zero(config.resident_bytes)},
                                    {"in_flight_bytes", fence ? bench::Value(config.in_flight_bytes) : bench::Value()}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  result.apis = bench::those({{bench::cuda::kApi, config.has_cuda()}, {bench::vulkan::kApi, config.has_vulkan()}});
  result.elements = config.elements();
  result.footprint_bytes = config.words() * 4;
  // Whoever reads the table wants differences of two and more, not of a percent; there are many cases.
  result.budget_part = 0.12;
  result.host_samples = 1;
  return result;
}

// A coarse sweep: the block's and the GPU's scope, latency alone, and with nothing in flight.
bool is_coarse(const bench::Case& one) {
  const bench::Side& side = one.sides.front();
  const std::string scope = side.params.text("scope");
  const std::string in_flight = side.params.text("in_flight_bytes");
  return (in_flight.empty() || in_flight == "0") && !side.variant.ends_with("_rate") && side.variant != "cas_chain" &&
         (scope.empty() || scope == "cta" || scope == "gpu");
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) list.push_back(make_case(config));
  if (plan.quick) std::erase_if(list, [](const bench::Case& one) { return !is_coarse(one); });
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_ordering",
      .question = "What does it cost to say in which order, and for whom, memory is read and written?",
      .params = {Column::text("memory_order", "of the operation or the fence, as C++ calls it"),
                 Column::text("scope", "for whom it is ordered").optional(),
                 Column::text("via", "a PTX or SPIR-V instruction, or libcu++'s atomic_ref"),
                 Column::integer("resident_bytes", "bytes", "of what is walked through").optional(),
                 Column::integer("in_flight_bytes", "bytes", "stored before each fence").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"load_chain", "one thread follows indices through a table that L1 or L2 holds: time of one load"},
                   {"store_chain",
                    "one thread stores a value, loads it back (relaxed) and stores its successor: time of the pair"},
                   {"add_chain", "one thread adds to one word what the addition before returned: time of one addition"},
                   {"cas_chain", "one thread swaps one word for its successor: time of one compare-and-swap"},
                   {"load_rate", "every thread of a full GPU loads words of its own from L2, four under way"},
                   {"store_rate", "every thread of a full GPU stores words of its own"},
                   {"add_rate", "every thread of a full GPU adds to words of its own, four under way"},
                   {"fence_rate", "every thread of a full GPU stores 4 bytes and fences"},
                   {"fence",
                    "a block stores `in_flight_bytes`, then one thread fences: time of a turn; `cycles` of the fence alone"},
                   {"message_flag", "two blocks pass a number back and forth: time of one message"},
                   {"message_payload", "the same with a word in another line, announced by the flag; `stale` counts old ones"},
                   {"aa_control_a", "A/A control: the first load_chain, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
