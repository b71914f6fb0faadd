#include "variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "core/code_transplant.h"
#include "core/error.h"
#include "core/verify.h"
#include "exp04_kernels.h"
#include "params.h"

namespace {

constexpr std::uint32_t kChaseSteps = 4096;  // ~2.4 ms from DRAM

bool takes_addresses(const Variant& variant) { return std::string_view(variant.glsl).starts_with("_address"); }

bench::KernelSpec spec(bench::Api api, const Variant& variant, const std::string& stem, std::uint32_t block,
                       std::size_t buffers) {
  const bool cuda = api == bench::Api::kCuda;
  return {.images = &bench::find_kernel(bench::kernels::exp04(), cuda ? stem : stem + variant.glsl),
          .entry = stem + (cuda ? variant.cuda : variant.glsl),
          .block_x = block,
          .glsl_constants = {},
          .buffers = static_cast<std::uint32_t>(buffers),
          .params_bytes = sizeof(BdaParams),
          .shared_bytes = cuda && variant.feature == std::string_view(kCudaOneSlot) ? kCudaOneSlotBytes : 0,
          .binding = takes_addresses(variant) ? bench::BufferBinding::kAddress : bench::BufferBinding::kDescriptors};
}

// Constant bank 0 of a Vulkan kernel, as NVIDIA's driver 580 lays it out: from 0x30 on a buffer's address and size every 16
// bytes, from 0x630 on the push constants. Of CUDA's: from `parameters` on the buffers' addresses, then BdaParams.
std::optional<std::uint32_t> moved_constant(std::uint32_t offset, bool addresses, std::uint32_t buffers,
                                            std::uint32_t parameters) {
  constexpr std::uint32_t kDescriptors = 0x30;
  constexpr std::uint32_t kPush = 0x630;
  const std::uint32_t own = 8 * buffers;
  if (offset >= kPush) {
    const std::uint32_t at = offset - kPush;
    if (addresses) return at < own + sizeof(BdaParams) ? std::optional(parameters + at) : std::nullopt;
    return at < sizeof(BdaParams) ? std::optional(parameters + own + at) : std::nullopt;
  }
  if (addresses || offset < kDescriptors || offset >= kDescriptors + 16 * buffers) return std::nullopt;
  const std::uint32_t buffer = (offset - kDescriptors) / 16;
  const std::uint32_t part = (offset - kDescriptors) % 16;
  if (part < 8) return parameters + 8 * buffer + part;
  const std::size_t size = buffer + 1 == buffers ? offsetof(BdaParams, out_bytes) : offsetof(BdaParams, in_bytes);
  return part == 8 ? std::optional(parameters + own + static_cast<std::uint32_t>(size)) : std::nullopt;
}

// The code of the variant's Vulkan side as a CUDA kernel, in the place of <stem>_code_host.
const bench::Kernel& vulkan_code(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                                 std::size_t buffers) {
  constexpr std::uint32_t kRegisters = 16;  // allocated for what each *_code_host uses: 9 to 16
  if (bench.partner() == nullptr) throw bench::Skip("Vulkan's machine code wants both APIs on one GPU");
  const bench::KernelCode code = bench.partner()->kernel(spec(bench::Api::kVulkan, variant, stem, block, buffers)).code();
  if (code.code.empty()) throw bench::Skip("{}", code.reason);
  bench::KernelSpec host = spec(bench::Api::kCuda, variant, stem, block, buffers);
  const bench::KernelCode room = bench.device().load(host)->code();
  const auto parameters = bench::parameter_offset(room.container, host.entry);
  if (!parameters) throw bench::Skip("{}: no cubin that tells where its parameters lie", host.entry);
  const bench::Transplant done =
      bench::transplant(room.container, host.entry, code.code, kRegisters, [&](std::uint32_t offset) {
        return moved_constant(offset, takes_addresses(variant), static_cast<std::uint32_t>(buffers), *parameters);
      });
  if (done.cubin.empty()) throw bench::Skip("Vulkan's machine code cannot run in a CUDA launch: {}", done.reason);
  // The same architecture as the room's: what choose_image() took for this device fits it under any name.
  bench::CudaImage image = *std::find_if(host.images->cuda.begin(), host.images->cuda.end(), [&](const bench::CudaImage& one) {
    return one.bytes.size() == room.container.size() && std::equal(one.bytes.begin(), one.bytes.end(), room.container.begin());
  });
  image.bytes = done.cubin;
  host.images = &bench.keep(fmt::format("{}{}_vulkan_code_{}", stem, variant.glsl, block), image);
  return bench.kernel(host);
}

}  // namespace

const bench::Kernel& kernel(bench::Workbench& bench, const Variant& variant, const std::string& stem, std::uint32_t block,
                            std::size_t buffers) {
  const bool cuda = bench.device().info().api == bench::Api::kCuda;
  if (cuda && variant.cuda == std::string_view(kVulkanCode)) return vulkan_code(bench, variant, stem, block, buffers);
  return bench.kernel(spec(cuda ? bench::Api::kCuda : bench::Api::kVulkan, variant, stem, block, buffers));
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
  const auto measure = [&bench, &sms, blocks]() -> std::vector<std::string> {
    std::vector<std::uint32_t> ids(blocks);
    bench.device().download(sms, 0, std::as_writable_bytes(std::span(ids)));
    std::map<std::uint32_t, std::uint32_t> ran;
    for (const std::uint32_t id : ids) ++ran[id];
    std::vector<std::uint32_t> counts;
    for (const auto& [id, count] : ran) counts.push_back(count);
    std::sort(counts.begin(), counts.end());
    std::vector<std::string> cells;
    for (const std::size_t quarter : {0, 1, 2, 3, 4})
      cells.push_back(std::to_string(counts[(counts.size() - 1) * quarter / 4]));
    return cells;
  };
  return {bench.device().prepare(launch, {}), measure};
}
