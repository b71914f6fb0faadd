#include "variant.h"

#include <string_view>

#include "core/verify.h"
#include "exp04_kernels.h"
#include "params.h"

namespace {

constexpr std::uint32_t kChaseSteps = 4096;  // ~3 ms from DRAM

}  // namespace

const bench::Kernel& kernel(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                            std::size_t buffers) {
  const bool cuda = bench.device().info().api == bench::Api::kCuda;
  const bool address = std::string_view(variant.glsl).starts_with("_address");
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp04(), cuda ? stem : stem + variant.glsl),
                       .entry = stem + (cuda ? variant.cuda : variant.glsl),
                       .block_x = block,
                       .glsl_constants = {},
                       .buffers = static_cast<std::uint32_t>(buffers),
                       .params_bytes = sizeof(BdaParams),
                       .binding = address ? bench::BufferBinding::kAddress : bench::BufferBinding::kDescriptors});
}

std::uint32_t blocks_for(std::uint64_t threads, std::uint32_t block) {
  return static_cast<std::uint32_t>((threads + block - 1) / block);
}

// The same six steps as in main.cpp; the device itself makes the table, for only it knows its addresses.
std::unique_ptr<bench::Subject> set_up_chase(bench::Workbench& bench, const Variant& variant, std::uint32_t lanes,
                                             std::uint64_t nodes) {
  const BdaParams params{static_cast<std::uint32_t>(nodes), 0, 0, kChaseSteps};
  bench::Buffer& table = bench.output("table", nodes * 2);
  bench::Buffer& output = bench.output("output", lanes);
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
