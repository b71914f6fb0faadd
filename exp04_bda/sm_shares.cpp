#include "sm_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "core/verify.h"
#include "exp04_kernels.h"
#include "gpcs.h"
#include "params.h"

namespace {

// Of 18, the most SMs of a GPC of an H100's; 8 is the most that every device with clusters takes.
constexpr std::uint32_t kClusters[] = {16, 8, 4, 2};
constexpr std::uint32_t kClustersInLaunch = 256;  // several times what 132 SMs hold at once
constexpr std::uint32_t kGpcSteps = 4096;         // ~15 us

std::vector<std::uint32_t> read_ids(bench::Device& device, const bench::Buffer& sms, std::size_t blocks) {
  std::vector<std::uint32_t> ids(blocks);
  device.download(sms, 0, std::as_writable_bytes(std::span(ids)));
  return ids;
}

bench::Launch gpc_launch(bench::Workbench& bench, std::uint32_t block, std::uint32_t cluster, bench::Buffer& sms) {
  const std::uint32_t blocks = kClustersInLaunch * cluster;
  const BdaParams params{blocks, 0, 0, kGpcSteps};
  return {&bench.kernel({.images = &bench::find_kernel(bench::kernels::exp04(), "gpc_members"),
                         .entry = "gpc_members",
                         .block_x = block,
                         .glsl_constants = {},
                         .buffers = 1,
                         .params_bytes = sizeof(BdaParams),
                         .cluster_x = cluster}),
          {blocks, 1, 1},
          {&sms},
          bench::params_bytes(params)};
}

}  // namespace

bench::Prepared set_up_share(bench::Workbench& bench, const Variant& variant, std::uint32_t block, std::uint64_t floats,
                             const ShareWindow& window) {
  const auto threads = static_cast<std::uint32_t>(floats / 4);
  const std::uint32_t blocks = blocks_for(threads, block);
  const std::uint64_t words = window.floats << window.spread;
  bench::Buffer& output = bench.output("output", words, variant.memory);
  bench::Buffer& sms = bench.output("sms", blocks);
  const ShareParams params{threads, static_cast<std::uint32_t>(window.floats / 4) - 1, window.spread};
  const bench::Launch launch = {&bench.kernel({.images = &bench::find_kernel(bench::kernels::exp04(), "write_share"),
                                               .entry = "write_share",
                                               .block_x = block,
                                               .glsl_constants = {},
                                               .buffers = 2,
                                               .params_bytes = sizeof(ShareParams)}),
                                {blocks, 1, 1},
                                {&output, &sms},
                                bench::params_bytes(params)};
  bench.device().run(launch);
  const std::string reference = fmt::format("window of {} words, one granule of {}", window.floats, 1ULL << window.spread);
  bench::verify<std::uint32_t>(bench, reference, output, words, bench::kGuardWords, [&window](std::uint64_t i) {
    const std::uint64_t granule = i / EXP04_GRANULE_WORDS;
    const std::uint64_t in_window = (granule >> window.spread) * EXP04_GRANULE_WORDS + i % EXP04_GRANULE_WORDS;
    const bool is_stored = granule % (1ULL << window.spread) == 0 && in_window < window.floats;
    return is_stored ? incompressible_word(static_cast<std::uint32_t>(i)) : bench::kPoison;
  });
  const auto measure = [&bench, &sms, blocks] {
    std::map<std::uint32_t, std::uint32_t> ran;
    for (const std::uint32_t id : read_ids(bench.device(), sms, blocks)) ++ran[id];
    std::vector<std::uint32_t> by_sm(ran.rbegin()->first + 1);
    std::vector<std::uint32_t> counts;
    for (const auto& [id, count] : ran) {
      by_sm[id] = count;
      counts.push_back(count);
    }
    std::sort(counts.begin(), counts.end());
    const auto quartile = [&](std::size_t number) { return counts[(counts.size() - 1) * number / 4]; };
    return bench::Values{{"sm_blocks_min", quartile(0)},    {"sm_blocks_q1", quartile(1)},
                         {"sm_blocks_median", quartile(2)}, {"sm_blocks_q3", quartile(3)},
                         {"sm_blocks_max", quartile(4)},    {"blocks_by_sm", fmt::format("{}", fmt::join(by_sm, " "))}};
  };
  return {bench.device().prepare(launch, {}), measure};
}

bench::Prepared set_up_gpcs(bench::Workbench& bench, std::uint32_t block) {
  bench::Buffer& sms = bench.output("sms", std::uint64_t{kClustersInLaunch} * kClusters[0]);
  std::vector<std::vector<std::uint32_t>> joined;
  std::uint32_t count = 0;
  for (const std::uint32_t cluster : kClusters) {
    bench.device().run(gpc_launch(bench, block, cluster, sms));
    const std::vector<std::uint32_t> ids = read_ids(bench.device(), sms, std::size_t{kClustersInLaunch} * cluster);
    for (auto first = ids.begin(); first != ids.end(); first += cluster) joined.emplace_back(first, first + cluster);
    count = std::max(count, *std::max_element(ids.begin(), ids.end()) + 1);
  }
  const std::vector<std::uint32_t> gpcs = gpcs_of(joined, std::min(count, bench.device().info().multiprocessors));
  return {bench.device().prepare(gpc_launch(bench, block, kClusters[0], sms), {}), [gpcs] {
            return bench::Values{{"gpc_by_sm", fmt::format("{}", fmt::join(gpcs, " "))}};
          }};
}

std::vector<bench::Column> share_columns() {
  using bench::Column;
  return {Column::integer("sm_blocks_min", "blocks", "that the SM with the fewest ran").optional(),
          Column::integer("sm_blocks_q1", "blocks", "that an SM ran: first quartile").optional(),
          Column::integer("sm_blocks_median", "blocks", "that an SM ran: median").optional(),
          Column::integer("sm_blocks_q3", "blocks", "that an SM ran: third quartile").optional(),
          Column::integer("sm_blocks_max", "blocks", "that the SM with the most ran").optional(),
          Column::text("blocks_by_sm", "the blocks that SM 0, 1, ... ran").optional(),
          Column::text("gpc_by_sm", "the GPC of SM 0, 1, ..., numbered by its first SM").optional()};
}
