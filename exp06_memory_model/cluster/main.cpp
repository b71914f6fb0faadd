// What does a thread-block cluster buy: latency, bandwidth, barriers, and one load for all of its blocks?
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends.h"
#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/device/offers.h"
#include "core/experiment/experiment.h"
#include "cuda/example_params.h"
#include "exp06_kernels.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Workbench;

constexpr std::size_t kRuns = 9;                                   // of which exchange_gbps is the median
constexpr std::uint32_t kStateWords = 128 * 2 * EXP06_MAIL_WORDS;  // mailboxes of 64-bit words; the counters are fewer

std::vector<Column> measured_columns() {
  return {Column::integer("blocks", "blocks", "of the launch"),
          Column::real("cycles", "cycles", "of an element, by the SM's clock: median over blocks").optional(),
          Column::real("bytes_per_cycle", "bytes/cycle", "that an SM exchanges").optional(),
          Column::real("exchange_gbps", "GB/s", "that all SMs exchange: median of 9 launches").optional(),
          Column::integer("pairs", "", "of a cluster's blocks that were looked at").optional(),
          Column::real("pair_cycles", "cycles", "of a load from the other's shared memory: median over pairs").optional(),
          Column::real("pair_cycles_min", "cycles", "of the fastest pair").optional(),
          Column::real("pair_cycles_max", "cycles", "of the slowest pair").optional(),
          Column::real("tpc_cycles", "cycles", "median over the pairs that share a TPC").optional(),
          Column::integer("sms_used", "SMs", "on which the launch's blocks were").optional(),
          Column::integer("active_clusters", "clusters", "that run at once").optional(),
          Column::integer("largest_cluster", "blocks", "of the largest cluster that the kernel may have").optional(),
          Column::integer("largest_portable", "blocks", "of the largest that every GPU with clusters has").optional()};
}

const bench::Kernel& load(Workbench& bench, const Config& config, std::string_view entry) {
  const bool example = entry == "example_multicast";
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), config.stem()),
                       .entry = std::string(entry),
                       .block_x = config.block(),
                       .buffers = 2,
                       .params_bytes = static_cast<std::uint32_t>(example ? sizeof(ExampleParams) : sizeof(ClusterParams)),
                       .shared_bytes = entry == "pair_map" ? kAlone : config.shared_bytes(),
                       .cuda = {.cluster_x = config.cluster}});
}

// Words that word(i) gives.
template <class Word>
Buffer& filled(Workbench& bench, const std::string& slot, std::uint64_t words, const Word& word) {
  Buffer& buffer = bench.output(slot, words);
  std::vector<std::uint32_t> values(words);
  for (std::uint64_t i = 0; i < words; ++i) values[i] = word(static_cast<std::uint32_t>(i));
  bench.device().upload(buffer, 0, std::as_bytes(std::span(values)));
  return buffer;
}

const Buffer& data_of(Workbench& bench, const Config& config, std::uint32_t grid) {
  if (config.shape == Shape::kMulticast) return bench.input(0, std::uint64_t{config.chunks()} * (EXP06_CHUNK_BYTES / 4));
  if (config.global()) return bench.output("slots", std::uint64_t{grid} * EXP06_SLOTS * EXP06_SLOT_WORDS);
  if (config.shape == Shape::kExample) {
    return filled(bench, "example", EXP06_EXAMPLE_WORDS, [](std::uint32_t i) { return i; });
  }
  if (config.op == "l2") {
    return filled(bench, "table", EXP06_L2_TABLE_WORDS,
                  [](std::uint32_t i) { return 4 * EXP06_NEXT_WORD(i, EXP06_L2_TABLE_WORDS); });
  }
  Buffer& state = bench.output("state", kStateWords);
  bench.device().fill(state, 0, kStateWords * sizeof(std::uint32_t), 0);
  return state;
}

std::vector<std::byte> params_of(const Config& config, const Buffer& data) {
  if (config.entry() == "example_multicast") {
    return bench::params_bytes(ExampleParams{bench::cuda::tensor_map_2d(
        data, {.row_words = EXP06_EXAMPLE_WORDS, .rows = 1, .box_words = EXP06_EXAMPLE_TILE, .box_rows = 1})});
  }
  return bench::params_bytes(ClusterParams{config.steps(), config.distance, config.work, config.chunks(), 0});
}

// measured_columns(), of a launch that has been verified and timed.
struct Measured {
  Workbench* bench;
  Config config;
  const bench::Kernel* kernel;
  const Buffer* data;
  const Buffer* out;
  std::uint32_t grid;
  bench::Subject* subject;

  double exchange_gbps() const {
    std::vector<double> gbps;
    const double bytes = static_cast<double>(grid) * config.steps() * EXP06_SLOT_BYTES;
    for (std::size_t run = 0; run < kRuns; ++run)
      gbps.push_back(bytes / subject->time_device({.batch = 1, .lead_in = 1, .evict_l2 = false}).ns);
    return bench::quantile(gbps, 0.5);
  }

  // Every pair of blocks in as many clusters as run at once.
  void measure_pairs(bench::Values& values) const {
    const bench::Kernel& pair_map = load(*bench, config, "pair_map");
    const std::uint32_t blocks = cluster_limits(pair_map).active * config.cluster;
    Buffer& map = bench->output("pair_map", pair_map_words(blocks, config.cluster));
    bench::Launch launch;
    launch.kernel = &pair_map;
    launch.grid = {blocks, 1, 1};
    launch.buffers = {data, &map};
    launch.params = params_of(config, *data);
    bench->device().run(launch);
    const PairCycles found = pair_cycles(bench->device(), map, blocks, config.cluster);
    values.set("pairs", found.all.size());
    values.set("pair_cycles", bench::quantile(found.all, 0.5));
    values.set("pair_cycles_min", *std::ranges::min_element(found.all));
    values.set("pair_cycles_max", *std::ranges::max_element(found.all));
    if (!found.one_tpc.empty()) values.set("tpc_cycles", bench::quantile(found.one_tpc, 0.5));
  }

  bench::Values operator()() const {
    bench::Values values = {{"blocks", grid}};
    if (config.shape == Shape::kExample) return values;
    if (config.shape == Shape::kExchange) values.set("exchange_gbps", exchange_gbps());
    std::vector<double> cycles;
    std::set<std::uint32_t> sms;
    for (const std::vector<std::uint32_t>& record : records(bench->device(), *out, grid)) {
      if (record[EXP06_CYCLES] != 0) cycles.push_back(record[EXP06_CYCLES]);
      sms.insert(record[EXP06_SM]);
    }
    const double median = cycles.empty() ? 0 : bench::quantile(cycles, 0.5);
    if (config.shape != Shape::kMulticast && config.shape != Shape::kSpread && median > 0)
      values.set("cycles", median / config.steps());
    if (config.shape == Shape::kExchange && median > 0)
      values.set("bytes_per_cycle", static_cast<double>(config.steps()) * EXP06_SLOT_BYTES / median);
    if (config.shape == Shape::kChase && config.op == "load" && config.cluster > 1) measure_pairs(values);
    values.set("sms_used", sms.size());
    const bench::ClusterLimits limits = cluster_limits(*kernel);
    values.set("active_clusters", limits.active);
    values.set("largest_cluster", bench::unless_zero(limits.largest));
    values.set("largest_portable", bench::unless_zero(limits.largest_portable));
    return values;
  }
};

// Kernel, data, poisoned output, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const Config& config, WeightedSums& sums) {
  bench::Device& device = bench.device();
  const bench::Kernel& kernel = load(bench, config, config.entry());
  const std::uint32_t grid = config.grid(cluster_limits(kernel).active);
  const Buffer& data = data_of(bench, config, grid);
  Buffer& out = bench.output("out", config.out_words(grid));
  bench::Launch launch;
  launch.kernel = &kernel;
  launch.grid = {grid, 1, 1};
  launch.buffers = {&data, &out};
  launch.params = params_of(config, data);

  device.run(launch);
  // Their records hold times, so no checksum tells what they must be.
  const auto compare = [&bench, &out, config, grid, &sums] { check(bench, bench.device(), config, out, grid, sums); };
  compare();
  bench.compared();
  const auto restore = [&bench, config, grid] {
    data_of(bench, config, grid);
    bench.output("out", config.out_words(grid));
  };
  bench.makes_outputs_anew(restore, compare);

  std::unique_ptr<bench::Subject> subject = device.prepare(launch, {});
  const Measured measured{&bench, config, &kernel, &data, &out, grid, subject.get()};
  return {std::move(subject), measured, bench::kReadings};
}

bench::Case make_case(const Config& config, const std::shared_ptr<WeightedSums>& sums) {
  bench::Case result;
  result.sides = {{.api = bench::cuda::kApi,
                   .variant = std::string(config.variant),
                   .params = {{"op", config.op},
                              {"cluster", config.cluster},
                              {"distance", bench::unless_zero(config.distance)},
                              {"work", bench::unless_zero(config.work)},
                              {"level", config.level},
                              {"chunk_bytes", bench::unless_zero(config.chunk)}},
                   .set_up = [config, sums](Workbench& bench) { return set_up(bench, config, *sums); }}};
  result.spins = config.work != 0;  // a block that comes late
  result.elements = config.shape == Shape::kSpread ? config.grid(0) : config.steps();
  result.useful_bytes = config.useful_bytes();
  result.footprint_bytes = config.shape == Shape::kMulticast ? std::uint64_t{config.chunks()} * EXP06_CHUNK_BYTES : 0;
  result.cache = config.level == "dram" ? bench::Cache::kCold : bench::Cache::kWarm;
  result.host_samples = 1;
  result.budget_part = 0.12;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  const auto sums = std::make_shared<WeightedSums>();
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan.multiprocessors, plan.smoke || plan.cpu)) {
    // A coarse sweep: no cluster, the smallest, and the largest that every such GPU has.
    if (plan.quick && config.cluster > 2 && config.cluster != 8) continue;
    list.push_back(make_case(config, sums));
  }
  const auto standard =
      std::ranges::find_if(list, [](const bench::Case& one) { return one.sides.front().variant == "rounds"; });
  for (const bench::Case& aa : bench::aa_controls(*standard)) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp06_cluster",
      .question = "What does a thread-block cluster buy: latency, bandwidth, barriers, and one load for all of its blocks?",
      .params = {Column::text("op", "how the variant is done").optional(), Column::integer("cluster", "blocks", "of a cluster"),
                 Column::integer("distance", "", "the peer of rank r is r ^ distance").optional(),
                 Column::integer("work", "steps", "of arithmetic beside it").optional(),
                 Column::text("level", "where the data of a multicast lie: dram or l2").optional(),
                 Column::integer("chunk_bytes", "bytes", "of a place in a multicast's ring").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"example", "a post's two examples: distributed shared memory, and a multicast to the ranks in a mask"},
                   {"rounds", "every block sends 16 bytes to its peer and waits for the peer's: time of a round"},
                   {"latency", "one thread's dependent loads from another block's shared memory: time of a load"},
                   {"exchange", "all threads of all blocks read, or write, their peer's shared memory: 32 KiB per step"},
                   {"barrier", "barriers of a block, a cluster, and blocks at large, one after another: time of a barrier"},
                   {"spread", "blocks with an SM each, in clusters of 1 to 16: how many SMs do work?"},
                   {"multicast", "all blocks of a cluster read the same: each for itself, or one for all"},
                   {"aa_control_a", "A/A control: the source's standard rounds, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
