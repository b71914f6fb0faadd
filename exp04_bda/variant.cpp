#include "variant.h"

#include <algorithm>
#include <string_view>

#include "core/experiment/verify.h"
#include "exp04_kernels.h"
#include "foreign_code.h"
#include "params.h"

namespace {

constexpr std::uint32_t kChaseSteps = 4096;  // ~2.4 ms from DRAM

// Their room for Vulkan's code is not in their own file but in code_hosts.cu.
constexpr std::string_view kHosted[] = {"add_f32x4", "load_f32", "store_u32", "loop_f32"};

bench::KernelSpec spec(const Variant& variant, const std::string& stem, std::uint32_t block, std::size_t buffers) {
  const bool hosted = variant.cuda == std::string_view(kVulkanCode) &&
                      std::find(std::begin(kHosted), std::end(kHosted), stem) != std::end(kHosted);
  const bool addresses = std::string_view(variant.glsl).starts_with("_address");
  return {.block_x = block,
          .constants = variant.shared_bytes != 0 ? std::vector{variant.shared_bytes / 4} : std::vector<std::uint32_t>{},
          .buffers = static_cast<std::uint32_t>(buffers),
          .params_bytes = sizeof(BdaParams),
          .shared_bytes = variant.shared_bytes,
          .cuda = {.own = {.from = bench::kernels::exp04(),
                           .stem = hosted ? "code_hosts" : stem,
                           .entry = stem + variant.cuda,
                           .shared_bytes = variant.feature == std::string_view(kCudaOneSlot) ? kCudaOneSlotBytes : 0}},
          .vulkan = {.own = {.from = bench::kernels::exp04(),
                             .stem = variant.glsl == std::string_view(kCudaCode) ? "" : stem + variant.glsl,
                             .entry = stem + variant.glsl},
                     .binding = addresses ? bench::BufferBinding::kAddress : bench::BufferBinding::kDescriptors,
                     .robustness = robustness_of(variant.checks),
                     .takes_less = stem == "empty"}};
}

}  // namespace

const bench::Kernel& kernel(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                            std::size_t buffers) {
  const bench::KernelSpec both = spec(variant, stem, block, buffers);
  const std::string entry = bench.device().own(both).entry;
  if (entry.ends_with(kCudaCode)) return cuda_code(bench, both);
  if (entry.ends_with(kVulkanCode)) return vulkan_code(bench, both);
  return bench.kernel(both);
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
  bench::verify<std::uint32_t>(bench, output, lanes, bench::kGuardWords, [&](std::uint64_t lane) {
    std::uint32_t node = EXP04_START(static_cast<std::uint32_t>(lane), params.count);
    for (std::uint32_t step = 0; step < kChaseSteps; ++step) node = EXP04_NEXT(node, params.count);
    return node;
  });
  bench.makes_outputs_anew();
  return bench.device().prepare(chase, {});
}

std::unique_ptr<bench::Subject> set_up_shared_memory(bench::Workbench& bench, const Variant& variant, std::uint32_t block,
                                                     std::uint32_t blocks) {
  const std::uint32_t words = variant.shared_bytes / static_cast<std::uint32_t>(sizeof(std::uint32_t));
  bench::Buffer& output = bench.output("output", std::uint64_t{blocks} * words);
  const bench::Launch launch = {&kernel(bench, variant, "shared_u32", block, 1),
                                {blocks, 1, 1},
                                {&output},
                                bench::params_bytes(BdaParams{block, 0, 0, words})};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, output, std::uint64_t{blocks} * words, bench::kGuardWords, [words](std::uint64_t i) {
    const auto word = static_cast<std::uint32_t>(i);
    return EXP04_RAMP(word / words * words + (words - 1 - word % words));
  });
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}
