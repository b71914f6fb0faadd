// What does a load from memory, or from the L2, take while the other SMs load too: from nothing to all that there is?
#include <fmt/format.h>

#include <algorithm>

#include "backends.h"
#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "load.h"
#include "params.h"
#include "pointer.h"

namespace {

using bench::Buffer;
using bench::Cache;
using bench::Column;
using bench::Plan;
using bench::Workbench;

constexpr std::uint32_t kSteps = 4096;

std::vector<Column> measured_columns() {
  return {Column::real("latency_ns", "ns", "of a load: the launch's time over its steps; median of 9 launches").interval(),
          Column::real("chase_latency_ns", "ns", "the same, by the GPU's clock within the kernel").optional(),
          Column::real("load_gbps", "GB/s", "that the other blocks read").interval().optional(),
          Column::real("load_pct", "%", "of the memory's theoretical peak").optional()};
}

// Slices of arithmetic between two batches of loads, from as fast as it goes to next to nothing.
const std::vector<std::uint32_t> kWaits = {0, 4, 8, 12, 16, 20, 24, 32, 40, 56, 96, 320, 1280};

// The load in force; a launch is a chase. Throws Error.
struct Loaded {
  bench::Subject* subject;
  bench::Device* device;
  const Buffer* results;
  Point point;
  bench::DeviceSampleSpec spec;

  std::vector<std::uint32_t> download() const {
    std::vector<std::uint32_t> words(point.result_words());
    device->download(*results, 0, std::as_writable_bytes(std::span(words)));
    return words;
  }

  // measured_columns().
  bench::Values measure() const {
    std::vector<double> latency;
    std::vector<double> chase;
    std::vector<double> gbps;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const double ns = subject->time_device(spec).ns;
      const Load load = reported(point, download());
      latency.push_back(ns / point.steps);
      chase.push_back(static_cast<double>(load.chase_ns) / point.steps);
      gbps.push_back(static_cast<double>(load.bytes) / ns);
    }
    bench::Values values = {{"latency_ns", bench::summarize(latency)}};
    if (const double ns = bench::quantile(chase, 0.5); ns != 0) values.set("chase_latency_ns", ns);
    if (point.streamers == 0) return values;
    values.set("load_gbps", bench::summarize(gbps));
    const double peak = point.level == "dram" ? device->info().peak_gbps : 0;
    if (peak > 0) values.set("load_pct", 100 * bench::quantile(gbps, 0.5) / peak);
    return values;
  }
};

// Six steps, the same for both APIs: kernel, inputs, poisoned output, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const Point& point, VectorSums& sums) {
  bench::Device& device = bench.device();
  bench::Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "loaded_chase"),
                                 .entry = fmt::format("loaded_chase_{}", point.unroll),
                                 .block_x = kBlock,
                                 .constants = {point.unroll},
                                 .buffers = 4,
                                 .params_bytes = sizeof(LoadedParams)});
  Buffer& state = bench.output("state", EXP06_STATE_WORDS);
  device.fill(state, 0, EXP06_STATE_WORDS * sizeof(std::uint32_t), 0);
  Buffer& results = bench.output("results", point.result_words());
  launch.grid = {1 + point.streamers, 1, 1};
  launch.buffers = {&linked_table(bench, point), &bench.input(0, point.data_bytes / 4), &state, &results};
  launch.params = bench::params_bytes(point.params());

  device.run(launch);
  Loaded loaded{nullptr, &device, &results, point, {}};
  // What the blocks sum up follows from how far they say that they came.
  const auto check = [&bench, &device, &results, &state, &sums, loaded, point] {
    const std::vector<std::uint32_t> found = loaded.download();
    reported(point, found);
    const std::vector<std::uint32_t> expected = expected_results(bench, point, found, sums);
    bench::verify<std::uint32_t>(device, results, expected.size(), bench::kGuardWords,
                                 [&](std::uint64_t i) { return expected[i]; });
    // Left over, the flag would end the next launch's load at once.
    bench::verify<std::uint32_t>(device, state, EXP06_STATE_WORDS, bench::kGuardWords, [](std::uint64_t) { return 0U; });
  };
  check();
  bench.compared();
  bench.makes_outputs_anew([&bench, point] { bench.output("results", point.result_words()); }, check);

  std::unique_ptr<bench::Subject> subject = device.prepare(launch, {});
  loaded.subject = subject.get();
  loaded.spec = {.batch = 1, .lead_in = point.cold ? 0U : 2U, .evict_l2 = point.cold};
  return {std::move(subject), [loaded] { return loaded.measure(); }};
}

bench::Case make_case(const Point& point, const std::shared_ptr<VectorSums>& sums) {
  bench::Case result = bench::twin(point.streamers == 0 ? "idle" : "loaded",
                                   {{"level", point.level},
                                    {"unroll", point.unroll},
                                    {"streamers", bench::unless_zero(point.streamers)},
                                    {"wait", point.streamers == 0 ? bench::Value() : bench::Value(point.wait)}},
                                   [point, sums](Workbench& bench) { return set_up(bench, point, *sums); });
  result.elements = point.steps;
  result.spins = point.streamers != 0;  // until the chase has ended
  result.footprint_bytes = point.table_bytes + point.data_bytes;
  result.host_samples = 2;
  result.budget_part = 0.2;
  return result;
}

bench::Case pointer_case(const Point& point) {
  bench::Case result = bench::twin("pointer", {{"level", point.level}, {"unroll", point.unroll}},
                                   [point](Workbench& bench) { return set_up_pointer(bench, point); });
  result.elements = point.steps;
  result.spins = point.streamers != 0;  // until the chase has ended
  result.footprint_bytes = point.table_bytes;
  result.cache = point.cold ? Cache::kCold : Cache::kWarm;
  result.host_samples = 2;
  result.budget_part = 0.2;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  const auto sums = std::make_shared<VectorSums>();
  const bool small = plan.smoke || plan.cpu;
  // 2 GiB: of what the load reads, the L2 may still have a fiftieth from the time before.
  const std::uint64_t memory_bytes = std::min(plan.largest(27, 16) * 16, std::uint64_t{1} << 31);
  // Of a GPU that no one knows the SMs of, too few make for less load, not for a wrong figure.
  const std::uint32_t sms = plan.multiprocessors;
  std::vector<bench::Case> list;
  const auto add = [&](Point point) {
    bench::Case one = make_case(point, sums);
    // The L2's chase wants it as the launch before left it; memory's wants none of it there.
    one.cache = point.cold ? Cache::kCold : Cache::kWarm;
    list.push_back(one);
  };
  for (const std::string_view level : {"dram", "l2"}) {
    Point point = {.level = level,
                   .table_bytes = small             ? 1U << 16
                                  : level == "dram" ? memory_bytes / 2
                                                    : 1U << 22,
                   .data_bytes = small             ? 1U << 20
                                 : level == "dram" ? memory_bytes
                                                   : 1U << 24,
                   .unroll = 8,
                   .streamers = 0,
                   .wait = 0,
                   .steps = small ? 128U : kSteps,
                   .cold = !small && level == "dram",
                   .must_last = !plan.cpu};
    add(point);
    list.push_back(pointer_case(point));
    point.streamers = std::max(sms, 2U) - 1;
    for (std::size_t i = 0; i < kWaits.size(); i += small ? 8 : plan.quick ? 2 : 1) {
      point.wait = kWaits[i];
      add(point);
    }
    // All that goes with less in flight: 16 and 32 KiB an SM.
    point.wait = 0;
    for (const std::uint32_t unroll : {2U, 4U}) {
      point.unroll = unroll;
      add(point);
    }
  }
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_loaded_latency",
      .question =
          "What does a load from memory, or from the L2, take while the other SMs load too: from nothing to all that there is?",
      .params = {Column::text("level", "where the chase and the load find their data: dram or l2"),
                 Column::integer("unroll", "loads", "of 16 bytes per thread and turn of the load"),
                 Column::integer("streamers", "blocks", "that load, one on an SM").optional(),
                 Column::integer("wait", "slices", "of arithmetic between two turns").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"idle", "one thread follows 4096 addresses, one after another, on an otherwise idle GPU"},
                   {"pointer", "the same by a kernel that does nothing else"},
                   {"loaded",
                    "the same beside a block of 512 threads on every other SM: `unroll` loads of 16 bytes per thread, then "
                    "`wait` slices "
                    "of arithmetic, over and over"},
                   {"aa_control_a", "A/A control: idle, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
