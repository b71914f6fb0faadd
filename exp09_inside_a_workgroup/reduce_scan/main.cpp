// How near do sums and scans come to the memory's bandwidth, in how many passes, and to CUB?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>

#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/access_model.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp09_kernels.h"
#include "params.h"
#include "reference.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Passes;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

// A poll takes 0.5 to 1 us: a wait ends after 10 to 20 ms. lavapipe ends a kernel's loops after 65535 turns.
constexpr std::uint32_t kSpins = 20000;

// What all launches of a case have in common.
struct Setting {
  Workbench& bench;
  const Config& config;
  const Buffer& input;
  Buffer& out;
  Buffer& state;
};

// The CUDA file `file` has the entry `name`; in GLSL that is a file.
const bench::Kernel& kernel(Workbench& bench, std::string_view file, std::string_view name, std::uint32_t block) {
  return bench.kernel({.entry = std::string(name),
                       .block_x = block,
                       .buffers = 3,
                       .params_bytes = sizeof(ScanParams),
                       .cuda = {.own = {.from = bench::kernels::exp09(), .stem = std::string(file)}},
                       .vulkan = {.own = {.from = bench::kernels::exp09(), .stem = std::string(name)},
                                  .binding = bench::BufferBinding::kAddress}});
}

Launch launch(const bench::Kernel& kernel, std::uint32_t grid, const std::vector<const Buffer*>& buffers, std::uint32_t vectors,
              std::uint32_t tiles) {
  const auto log2_tiles = static_cast<std::uint32_t>(std::bit_width(tiles)) - 1;
  return {.kernel = &kernel,
          .grid = {grid, 1, 1},
          .buffers = buffers,
          .params = bench::params_bytes(ScanParams{vectors, tiles, log2_tiles, kSpins})};
}

// Sums of as many blocks, and their sum.
Passes sum_passes(const Setting& on) {
  const bench::Kernel& sum = kernel(on.bench, "sum", "sum_" + std::string(on.config.variant->block), EXP09_BLOCK);
  const std::uint32_t blocks = on.config.sum_blocks();
  const std::uint32_t tiles = on.config.tiles();
  if (blocks == 1) return {{launch(sum, 1, {&on.input, &on.out, &on.state}, on.config.vectors(), tiles)}};
  const Buffer& sums = on.bench.output("sums", blocks);
  return {{launch(sum, blocks, {&on.input, &sums, &on.state}, on.config.vectors(), tiles),
           launch(sum, 1, {&sums, &on.out, &on.state}, blocks / 4, tiles)}};
}

// The tiles' sums; the scan of these by one block; the tiles' scans, each with what stands before it.
Passes scan_passes(const Setting& on) {
  const std::string block(on.config.variant->block);
  const bench::Kernel& one = kernel(on.bench, "scan", "scan_one_" + block, EXP09_BLOCK);
  const std::uint32_t vectors = on.config.vectors();
  const std::uint32_t tiles = on.config.tiles();
  if (tiles == 1) return {{launch(one, 1, {&on.input, &on.out, &on.state}, vectors, tiles)}};
  const bench::Kernel& sum = kernel(on.bench, "sum", "sum_" + block, EXP09_BLOCK);
  const bench::Kernel& add = kernel(on.bench, "scan", "scan_add_" + block, EXP09_BLOCK);
  const std::uint32_t sum_vectors = (tiles + 3) / 4;
  const Buffer& sums = on.bench.output("sums", std::uint64_t{sum_vectors} * 4);
  const Buffer& befores = on.bench.output("befores", std::uint64_t{sum_vectors} * 4);
  return {{launch(sum, tiles, {&on.input, &sums, &on.state}, vectors, tiles),
           launch(one, 1, {&sums, &befores, &on.state}, sum_vectors, tiles),
           launch(add, tiles, {&on.input, &on.out, &befores}, vectors, tiles)}};
}

Passes one_pass(const Setting& on) {
  const bool scan = on.config.variant->scan;
  const std::uint32_t blocks = scan ? on.config.tiles() : on.config.sum_blocks();
  return {{launch(kernel(on.bench, scan ? "scan" : "sum", std::string(on.config.variant->name), EXP09_BLOCK), blocks,
                  {&on.input, &on.out, &on.state}, on.config.vectors(), on.config.tiles())}};
}

// As CUB's dispatch launches them: a sum by at most five blocks for each that the GPU holds at once, then by one; a scan by a
// block a tile, after a launch that sets the tiles' states back.
Passes cub_passes(const Setting& on) {
  constexpr std::uint32_t kVersionSumScan = 5;
  constexpr std::uint32_t kBlocksOfOne = 5;  // CUB's subscription factor
  constexpr std::uint32_t kInitBlock = 128;
  const std::vector<const Buffer*> buffers = {&on.input, &on.out, &on.state};
  const std::uint32_t vectors = on.config.vectors();
  std::vector<std::uint32_t> shape(kVersionSumScan);
  Buffer& reported = on.bench.output("shape", shape.size());
  on.bench.device().run(launch(kernel(on.bench, "cub", "cub_shape", 1), 1, {&on.input, &reported, &on.state}, vectors, 1));
  on.bench.device().download(reported, 0, std::as_writable_bytes(std::span(shape)));
  if (shape[0] == 0) throw bench::Skip("this build's CUDA toolkit has no CUB 3 (it comes with CUDA 13)");
  const std::uint32_t block = shape[on.config.variant->scan ? 3 : 1];
  const std::uint32_t tile = shape[on.config.variant->scan ? 4 : 2];
  const auto tiles = static_cast<std::uint32_t>((on.config.words + tile - 1) / tile);
  if (on.config.variant->scan) {
    // CUB keeps a warp's width of states before tile 0.
    const std::uint32_t init_blocks = (tiles + kInitBlock - 1) / kInitBlock;
    return {{launch(kernel(on.bench, "cub", "cub_scan_init", kInitBlock), init_blocks, buffers, vectors, tiles),
             launch(kernel(on.bench, "cub", "cub_scan", block), tiles, buffers, vectors, tiles)}};
  }
  const bench::Kernel& one = kernel(on.bench, "cub", "cub_sum_one", block);
  if (tiles == 1) return {{launch(one, 1, buffers, vectors, static_cast<std::uint32_t>(on.config.words))}};
  const bench::DeviceInfo& info = on.bench.device().info();
  const std::uint32_t most = kBlocksOfOne * std::max(1U, info.multiprocessors * (info.resident_threads / block));
  const std::uint32_t blocks = std::min(tiles, most);
  const Buffer& sums = on.bench.output("sums", blocks);
  return {{launch(kernel(on.bench, "cub", "cub_sum", block), blocks, {&on.input, &sums, &on.state}, vectors, tiles),
           launch(one, 1, {&sums, &on.out, &on.state}, 1, blocks)}};
}

Passes passes(const Setting& on) {
  switch (on.config.variant->algorithm) {
    case Algorithm::kPasses:
      return on.config.variant->scan ? scan_passes(on) : sum_passes(on);
    case Algorithm::kCub:
      return cub_passes(on);
    default:
      return one_pass(on);
  }
}

std::uint32_t failed_waits(Workbench& bench, const Buffer& state) {
  std::uint32_t failed = 0;
  bench.device().download(state, EXP09_FAILED * sizeof failed, std::as_writable_bytes(std::span(&failed, 1)));
  return failed;
}

void check_waits(Workbench& bench, const Buffer& state) {
  if (const std::uint32_t failed = failed_waits(bench, state); failed != 0) {
    throw bench::Error("wrong output: {} look-backs gave up after {} polls, though the blocks waited for had started", failed,
                       kSpins);
  }
}

void check(Workbench& bench, const Buffer& out, const Config& config) {
  const bool scan = config.variant->scan;
  const std::uint64_t words = scan ? config.words : 1;
  bench.confirm(fmt::format("{} of {} words", scan ? "scan" : "sum", config.words), out, words + bench::kGuardWords, [&] {
    const Prefixes prefixes([&](std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i)); },
                            config.words);
    return bench::verify<std::uint32_t>(bench.device(), out, words, bench::kGuardWords,
                                        [&](std::uint64_t i) { return scan ? prefixes.before(i) : prefixes.total(); });
  });
}

// On a software device a workgroup's thread may sleep, and Mesa 22.3's lavapipe now and then shows a sum older than its flag,
// whatever the order (see exp06_ordering): a few tries, no times.
[[noreturn]] void skip_look_back(Workbench& bench, const Passes& work, Buffer& out, Buffer& state, const Config& config) {
  constexpr int kTries = 10;
  std::string reason;
  for (int tries = 1; tries <= kTries; ++tries) {
    bench.device().fill(state, EXP09_FAILED * 4, 4, 0);
    bench.device().run(work);
    try {
      check_waits(bench, state);
      check(bench, out, config);
    } catch (const bench::Error& error) {
      reason = error.what();
      continue;
    }
    throw bench::Skip("not timed on a software device; right at try {}", tries);
  }
  throw bench::Skip("this software device let look-back fail {} times; last: {}", kTries, reason);
}

// Six steps, the same for both APIs: input, kernels, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  const Buffer& input = bench.input(0, config.words);
  Buffer& out = bench.output("out", config.variant->scan ? config.words : 1);
  const std::uint64_t state_words = EXP09_FIRST + 4 * std::max<std::uint64_t>(config.tiles(), 2048);
  Buffer& state = bench.output("state", state_words);
  bench.device().fill(state, 0, state_words * 4, 0);
  const Passes work = passes({bench, config, input, out, state});

  if (config.variant->algorithm == Algorithm::kLookBack && bench.device().info().is_cpu)
    skip_look_back(bench, work, out, state, config);
  bench.device().run(work);
  check_waits(bench, state);
  check(bench, out, config);
  bench.makes_outputs_anew();
  const std::uint64_t launches = work.launches.size();
  return {bench.device().prepare(work, {}), [&bench, &state, launches] {
            check_waits(bench, state);
            return bench::Values{{"launches", launches}};
          }};
}

bench::Case make_case(const Config& config, const Plan& plan) {
  bench::Case result =
      bench::twin(std::string(config.variant->name), {}, [config](Workbench& bench) { return set_up(bench, config); });
  if (config.variant->algorithm == Algorithm::kCub) result.apis = {{bench::cuda::kApi}};
  result.elements = config.words;
  result.useful_bytes = config.useful_bytes();
  result.footprint_bytes = config.useful_bytes();
  result.cache = plan.caches_for(result.footprint_bytes).front();
  if (config.variant->algorithm != Algorithm::kCub) {
    // Of a tile a warp has four vectors a lane, side by side: what its sums and flags take comes to less than a percent.
    bench::WarpAccess vectors;
    for (std::uint32_t row = 0; row < EXP09_ROWS; ++row) {
      vectors = vectors + bench::warp_access(16, [](std::uint32_t lane) { return std::uint64_t{lane} * 16; });
    }
    const bool scan = config.variant->scan;
    const bool twice = scan && config.variant->algorithm == Algorithm::kPasses && config.tiles() > 1;
    result.model = bench::model_values(twice ? vectors + vectors : vectors, scan ? vectors : bench::WarpAccess{},
                                       config.read_bytes(plan.is_dram(result.footprint_bytes)), config.write_bytes(),
                                       bench::kWarpLanes * EXP09_ROWS * 4);
  }
  result.budget_part = 0.3;
  result.host_samples = 1;
  result.vulkan.atomics = true;  // 64 bits at once
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const Config& config : all_configs(plan)) list.push_back(make_case(config, plan));
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<bench::VariantText> variants;
  for (const Variant& variant : kVariants) variants.push_back({std::string(variant.name), std::string(variant.text)});
  variants.push_back({"aa_control_a", "A/A control: the smallest sum_tree, paired with aa_control_b, which is the same"});
  variants.push_back({"aa_control_b", "the other half of the A/A control"});
  const bench::Experiment experiment = {
      .name = "exp09_reduce_scan",
      .question = "How near do sums and scans come to the memory's bandwidth, in how many passes, and to CUB?",
      .params = {},
      .model = bench::model_columns(),
      .measured = {Column::integer("launches", "", "that one sum or scan takes")},
      .variants = variants,
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
