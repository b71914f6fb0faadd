#include "sm_shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "core/experiment/verify.h"
#include "cuda/device/backend.h"
#include "exp10_kernels.h"
#include "gpcs.h"
#include "params.h"

namespace {

constexpr std::uint32_t kBlock = 256;
// Of 18, the most SMs of a GPC of an H100's; 8 is the most that every device with clusters takes.
constexpr std::uint32_t kClusters[] = {16, 8, 4, 2};
constexpr std::uint32_t kGpcSteps = 4096;  // ~15 us

// Of a launch: one for every other SM at least, so that of the largest there are several times what the GPU holds at once.
// H200: 256 for 132 SMs.
std::uint32_t clusters_in_launch(bench::Device& device) {
  return std::bit_floor(2 * std::max(device.info().multiprocessors, 1U));
}

// Where the stores go: to all of the buffer, or over and over to a window of it, which stays in the L2 or leaves it for memory.
struct Share {
  const char* feature;
  bench::Memory memory = bench::Memory::kOwn;
  std::uint64_t floats = ~0ULL;  // of the window: a power of two, or as many as are stored
  std::uint32_t spread = 0;      // log2 of the granules of the buffer for each of the window's
  bool in_l2 = false;
};
constexpr Share kShares[] = {{"none"},
                             {"none", bench::Memory::kFromVulkan},
                             {"none", bench::Memory::kFromCuda},
                             {"in_l2", bench::Memory::kOwn, 1ULL << 22, 0, true},
                             {"window_128_mib", bench::Memory::kOwn, 1ULL << 25},
                             {"window_256_mib", bench::Memory::kOwn, 1ULL << 26},
                             {"window_512_mib", bench::Memory::kOwn, 1ULL << 27},
                             {"spread_128_mib", bench::Memory::kOwn, 1ULL << 25, 3}};

std::vector<std::uint32_t> read_ids(bench::Device& device, const bench::Buffer& sms, std::size_t blocks) {
  std::vector<std::uint32_t> ids(blocks);
  device.download(sms, 0, std::as_writable_bytes(std::span(ids)));
  return ids;
}

bench::Launch gpc_launch(bench::Workbench& bench, std::uint32_t cluster, bench::Buffer& sms) {
  const std::uint32_t blocks = clusters_in_launch(bench.device()) * cluster;
  const GpcParams params{blocks, {}, kGpcSteps};
  return {&bench.kernel({.images = &bench::find_kernel(bench::kernels::exp10(), "gpc_members"),
                         .entry = "gpc_members",
                         .block_x = kBlock,
                         .buffers = 1,
                         .params_bytes = sizeof(GpcParams),
                         .cuda = {.cluster_x = cluster}}),
          {blocks, 1, 1},
          {&sms},
          bench::params_bytes(params)};
}

bench::Prepared set_up_share(bench::Workbench& bench, std::uint64_t floats, const Share& window) {
  const auto threads = static_cast<std::uint32_t>(floats / 4);
  const std::uint32_t blocks = (threads + kBlock - 1) / kBlock;
  const std::uint64_t words = window.floats << window.spread;
  bench::Buffer& output = bench.output("output", words, window.memory);
  bench::Buffer& sms = bench.output("sms", blocks);
  const ShareParams params{threads, static_cast<std::uint32_t>(window.floats / 4) - 1, window.spread};
  const bench::Launch launch = {&bench.kernel({.images = &bench::find_kernel(bench::kernels::exp10(), "write_share"),
                                               .entry = "write_share",
                                               .block_x = kBlock,
                                               .buffers = 2,
                                               .params_bytes = sizeof(ShareParams)}),
                                {blocks, 1, 1},
                                {&output, &sms},
                                bench::params_bytes(params)};
  bench.device().run(launch);
  const std::string reference = fmt::format("window of {} words, one granule of {}", window.floats, 1ULL << window.spread);
  bench::verify<std::uint32_t>(bench, reference, output, words, bench::kGuardWords, [&window](std::uint64_t i) {
    const std::uint64_t granule = i / EXP10_GRANULE_WORDS;
    const std::uint64_t in_window = (granule >> window.spread) * EXP10_GRANULE_WORDS + i % EXP10_GRANULE_WORDS;
    const bool is_stored = granule % (1ULL << window.spread) == 0 && in_window < window.floats;
    return is_stored ? incompressible_word(static_cast<std::uint32_t>(i)) : bench::kPoison;
  });
  bench.makes_outputs_anew();
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

bench::Prepared set_up_gpcs(bench::Workbench& bench) {
  bench.nothing_to_compare();  // where blocks run is what it measures
  const std::size_t clusters = clusters_in_launch(bench.device());
  bench::Buffer& sms = bench.output("sms", clusters * kClusters[0]);
  std::vector<std::vector<std::uint32_t>> joined;
  std::uint32_t count = 0;
  for (const std::uint32_t cluster : kClusters) {
    bench.device().run(gpc_launch(bench, cluster, sms));
    const std::vector<std::uint32_t> ids = read_ids(bench.device(), sms, clusters * cluster);
    for (auto first = ids.begin(); first != ids.end(); first += cluster) joined.emplace_back(first, first + cluster);
    count = std::max(count, *std::max_element(ids.begin(), ids.end()) + 1);
  }
  const std::vector<std::uint32_t> gpcs = gpcs_of(joined, std::min(count, bench.device().info().multiprocessors));
  return {bench.device().prepare(gpc_launch(bench, kClusters[0], sms), {}), [gpcs] {
            return bench::Values{{"gpc_by_sm", fmt::format("{}", fmt::join(gpcs, " "))}};
          }};
}

}  // namespace

std::vector<bench::Case> share_cases(std::uint64_t floats) {
  const std::uint64_t stored = std::bit_floor(std::max<std::uint64_t>(floats, 4));
  std::vector<bench::Case> cases;
  for (Share share : kShares) {
    share.floats = std::min(share.floats, stored >> share.spread);
    bench::Case one =
        bench::twin("write_share", {{"block", kBlock}, {"feature", share.feature}, {"memory", bench::to_string(share.memory)}},
                    [=](bench::Workbench& bench) { return set_up_share(bench, stored, share); });
    one.elements = stored;
    one.useful_bytes = stored * sizeof(float);
    // What goes to memory is measured as a stream is, however small the window.
    one.footprint_bytes = (share.in_l2 ? share.floats : stored) * sizeof(float);
    cases.push_back(one);
  }
  return cases;
}

bench::Case gpc_case() {
  bench::Case result = bench::twin("gpc_members", {{"block", kBlock}, {"feature", "none"}, {"memory", "own"}}, set_up_gpcs);
  result.apis = {{bench::cuda::kApi}};
  result.elements = kBlock;
  return result;
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
