#include "variant.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "core/verify.h"
#include "exp04_kernels.h"
#include "params.h"
#include "vulkan_code.h"

namespace {

constexpr std::uint32_t kChaseSteps = 4096;  // ~2.4 ms from DRAM

bench::KernelSpec spec(bench::Api api, const Variant& variant, const std::string& stem, std::uint32_t block,
                       std::size_t buffers) {
  const bool cuda = api == bench::Api::kCuda;
  const bool addresses = std::string_view(variant.glsl).starts_with("_address");
  return {.images = &bench::find_kernel(bench::kernels::exp04(), cuda ? stem : stem + variant.glsl),
          .entry = stem + (cuda ? variant.cuda : variant.glsl),
          .block_x = block,
          .glsl_constants = {},
          .buffers = static_cast<std::uint32_t>(buffers),
          .params_bytes = sizeof(BdaParams),
          .shared_bytes = cuda && variant.feature == std::string_view(kCudaOneSlot) ? kCudaOneSlotBytes : 0,
          .glsl_takes_less = stem == "empty",
          .binding = addresses ? bench::BufferBinding::kAddress : bench::BufferBinding::kDescriptors};
}

}  // namespace

const bench::Kernel& kernel(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                            std::size_t buffers) {
  const bench::KernelSpec own = spec(bench.device().info().api, variant, stem, block, buffers);
  if (bench.device().info().api == bench::Api::kCuda && variant.cuda == std::string_view(kVulkanCode))
    return vulkan_code(bench, spec(bench::Api::kVulkan, variant, stem, block, buffers), own);
  return bench.kernel(own);
}

std::uint32_t blocks_for(std::uint64_t threads, std::uint32_t block) {
  return static_cast<std::uint32_t>((threads + block - 1) / block);
}

// The same six steps as in main.cpp; the device itself makes the table, for only it knows its addresses.
std::unique_ptr<bench::Subject> set_up_chase(bench::Workbench& bench, const Variant& variant, std::uint32_t lanes,
                                             std::uint64_t nodes) {
  const BdaParams params{static_cast<std::uint32_t>(nodes), 0, 0, kChaseSteps};
  bench::Buffer& table = bench.output("table", nodes * 2, variant.memory);
  bench::Buffer& output = bench.output("output", lanes, variant.memory);
  const bench::Launch link = {
      &kernel(bench, variant, "chase_link", 256, 1), {blocks_for(nodes, 256), 1, 1}, {&table}, bench::params_bytes(params)};
  const bench::Launch chase = {
      &kernel(bench, variant, "chase", lanes, 2), {1, 1, 1}, {&table, &output}, bench::params_bytes(params)};
  bench.device().run(link);
  bench.device().run(chase);
  bench::verify<std::uint32_t>(bench.device(), output, lanes, bench::kGuardWords, [&](std::uint64_t lane) {
    std::uint32_t node = EXP04_START(static_cast<std::uint32_t>(lane), params.count);
    for (std::uint32_t step = 0; step < kChaseSteps; ++step) node = EXP04_NEXT(node, params.count);
    return node;
  });
  return bench.device().prepare(chase, {});
}

bench::Prepared set_up_share(bench::Workbench& bench, const Variant& variant, std::uint32_t block, std::uint64_t floats,
                             std::uint64_t window) {
  const auto threads = static_cast<std::uint32_t>(floats / 4);
  const std::uint32_t blocks = blocks_for(threads, block);
  bench::Buffer& output = bench.output("output", window, variant.memory);
  bench::Buffer& sms = bench.output("sms", blocks);
  const BdaParams params{threads, 0, 0, static_cast<std::uint32_t>(window / 4) - 1};
  const bench::Launch launch = {
      &kernel(bench, variant, "write_share", block, 2), {blocks, 1, 1}, {&output, &sms}, bench::params_bytes(params)};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench.device(), output, window, bench::kGuardWords,
                               [](std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); });
  const auto measure = [&bench, &sms, blocks] {
    std::vector<std::uint32_t> ids(blocks);
    bench.device().download(sms, 0, std::as_writable_bytes(std::span(ids)));
    std::map<std::uint32_t, std::uint32_t> ran;
    for (const std::uint32_t id : ids) ++ran[id];
    std::vector<std::uint32_t> counts;
    for (const auto& [id, count] : ran) counts.push_back(count);
    std::sort(counts.begin(), counts.end());
    const auto quartile = [&](std::size_t number) { return counts[(counts.size() - 1) * number / 4]; };
    return bench::Values{{"sm_blocks_min", quartile(0)},
                         {"sm_blocks_q1", quartile(1)},
                         {"sm_blocks_median", quartile(2)},
                         {"sm_blocks_q3", quartile(3)},
                         {"sm_blocks_max", quartile(4)}};
  };
  return {bench.device().prepare(launch, {}), measure};
}

std::vector<bench::Column> share_columns() {
  using bench::Column;
  return {Column::integer("sm_blocks_min", "blocks", "that the SM with the fewest ran").optional(),
          Column::integer("sm_blocks_q1", "blocks", "that an SM ran: first quartile").optional(),
          Column::integer("sm_blocks_median", "blocks", "that an SM ran: median").optional(),
          Column::integer("sm_blocks_q3", "blocks", "that an SM ran: third quartile").optional(),
          Column::integer("sm_blocks_max", "blocks", "that the SM with the most ran").optional()};
}
