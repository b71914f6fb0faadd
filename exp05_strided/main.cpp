// What does a stride between neighbouring threads cost, and how much of a published figure is footprint and cache?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "backends.h"
#include "core/experiment/access_model.h"
#include "core/experiment/checks.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp05_kernels.h"
#include "params.h"
#include "variants.h"
#include "window.h"

namespace {

using bench::Buffer;
using bench::Checks;
using bench::Column;
using bench::Plan;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kLargestLog2 = 28;                     // of 4 bytes: 1 GiB; fewer of the wider
constexpr std::uint32_t kQuickStrides[] = {1, 2, 8, 32, 128};  // neighbours, half a sector lost, a sector each, and beyond

// One config of a variant's table: everything that the set-up and the reference need.
struct Config {
  const Variant* variant = nullptr;
  std::uint32_t grid = 0;
  StrideParams params{};
  Checks checks = Checks::kDefault;

  std::uint32_t words() const { return variant->elem_bytes / 4; }
  std::uint32_t threads() const { return grid * kBlock; }
  // How often the index begins anew: 1 where it visits every element.
  std::uint32_t laps() const { return std::gcd(params.count, params.stride); }
  std::uint32_t at(std::uint32_t i) const {
    return variant->index == Index::kOnce ? EXP05_ONCE(i, params) : EXP05_FOLDED(i, params);
  }
};

// CPU reference: what thread `first` sums up, in its order.
std::uint32_t expected_sum(const Workbench& bench, const Config& config, std::uint32_t first) {
  const bool floats = config.variant->output == Output::kFloatSum;
  std::uint32_t sum = 0;
  float float_sum = 0;
  for (std::uint32_t i = first; i < config.params.count; i += config.threads()) {
    const std::uint64_t word = std::uint64_t{config.at(i)} * config.words();
    if (floats) float_sum += bench.input_value(0, word);
    for (std::uint32_t w = 0; !floats && w < config.words(); ++w)
      sum += std::bit_cast<std::uint32_t>(bench.input_value(0, word + w));
  }
  return floats ? std::bit_cast<std::uint32_t>(float_sum) : sum;
}

// All that those sums depend on.
std::string sums_of(const Config& config) {
  return fmt::format("sums of {} threads: {} of {} elements of {} words{}, stride {}", config.threads(),
                     config.variant->index == Index::kOnce ? "each" : "folded", config.params.count, config.words(),
                     config.variant->output == Output::kFloatSum ? ", as floats" : "", config.params.stride);
}

// Six steps, the same for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Config& config) {
  const bool writes = config.variant->output == Output::kEveryWord;
  const std::uint64_t elements_words = std::uint64_t{config.params.count} * config.words();
  const std::uint64_t out_words = writes ? elements_words : std::min(config.threads(), config.params.count);
  bench::Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp05(), config.variant->stem),
                                 .entry = config.variant->stem,
                                 .block_x = kBlock,
                                 .buffers = writes ? 1U : 2U,
                                 .params_bytes = sizeof(StrideParams),
                                 .vulkan = {.robustness = robustness_of(config.checks)}});
  launch.grid = {config.grid, 1, 1};
  launch.params = bench::params_bytes(config.params);
  if (!writes) launch.buffers.push_back(&bench.input(0, elements_words));
  Buffer& output = bench.output("output", out_words);
  launch.buffers.push_back(&output);

  bench.device().run(launch);
  const auto check = [&](const std::string& reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, output, out_words, bench::kGuardWords,
                                 [&](std::uint64_t i) { return expected(static_cast<std::uint32_t>(i)); });
  };
  if (writes) {
    check("incompressible words", [](std::uint32_t word) { return incompressible_word(word); });
  } else {
    check(sums_of(config), [&](std::uint32_t thread) { return expected_sum(bench, config, thread); });
  }
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

bench::Case make_case(const Config& config) {
  const Variant& variant = *config.variant;
  const std::uint64_t n = config.params.count;
  const bool writes = variant.output == Output::kEveryWord;
  bench::Case result = bench::twin(variant.name,
                                   {{"block", kBlock},
                                    {"grid", config.grid},
                                    {"elem_bytes", variant.elem_bytes},
                                    {"stride", config.params.stride},
                                    {"l2_fetch_bytes", bench::unless_zero(variant.l2_fetch_bytes)},
                                    {"checks", checks_value(config.checks)}},
                                   [config](Workbench& bench) { return set_up(bench, config); });
  result.l2_fetch_bytes = variant.l2_fetch_bytes;
  result.vulkan = vulkan_of(config.checks);
  if (variant.l2_fetch_bytes != 0) result.apis = {{bench::cuda::kApi}};
  // Of one turn of the loop. A thread's one store of its sum is left out: it comes once in many turns.
  const std::uint64_t step = std::uint64_t{variant.elem_bytes} * config.params.stride;
  const bench::WarpAccess access = bench::warp_access(variant.elem_bytes, [step](std::uint32_t lane) { return step * lane; });
  // The distinct bytes, in whole sectors: the folded index comes back to the same few.
  const std::uint64_t apart = std::uint64_t{variant.elem_bytes} * (variant.index == Index::kFolded ? config.laps() : 1);
  const std::uint64_t visited = n * variant.elem_bytes / apart;
  const std::uint64_t touched = visited * std::min(apart, bench::kSectorBytes);
  const std::uint64_t sums = std::min<std::uint64_t>(config.threads(), n) * 4;
  result.model = writes ? bench::model_values({}, access, 0, touched) : bench::model_values(access, {}, touched, sums);
  result.elements = n;
  // What the kernel asks for, visits of the same element counted each.
  result.useful_bytes = n * variant.elem_bytes + (writes ? 0 : sums);
  result.footprint_bytes = touched;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Checks>>
      seen;
  const auto add = [&](const Config& config) {
    // On a small device several of the table's sizes are the same.
    if (!seen.emplace(config.variant->name, config.variant->elem_bytes, config.variant->l2_fetch_bytes, config.grid,
                      config.params.stride, config.params.count, config.checks)
             .second)
      return;
    bench::Case one = make_case(config);
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  };
  std::vector<Config> main_sweep;
  for (const Variant& variant : kVariants) {
    if (plan.quick && variant.elem_bytes == 8) continue;  // between 4 and 16
    const std::uint64_t largest =
        plan.largest(kLargestLog2 - static_cast<std::uint32_t>(std::countr_zero(variant.elem_bytes / 4)), variant.elem_bytes);
    for (const std::uint32_t log2 : variant.sizes_log2) {
      const std::uint64_t wanted = log2 == 0 ? largest : std::min(largest, std::uint64_t{1} << log2);
      const auto count = static_cast<std::uint32_t>(std::bit_floor(wanted));
      for (const std::uint32_t grid : variant.grids) {
        for (const std::uint32_t stride : variant.strides) {
          if (stride >= count || (plan.quick && std::ranges::find(kQuickStrides, stride) == std::end(kQuickStrides)) ||
              (plan.smoke && stride > 3 && stride != 32))
            continue;
          const std::uint32_t laps = std::gcd(count, stride);
          const Config config = {&variant, grid, {count, stride, static_cast<std::uint32_t>(std::countr_zero(count / laps))}};
          add(config);
          if (log2 == 0 && variant.index == Index::kOnce && variant.l2_fetch_bytes == 0) main_sweep.push_back(config);
        }
      }
    }
  }
  for (const bench::Case& window : window_cases(plan)) list.push_back(window);
  const auto is_once = [](const bench::Case& one) { return one.sides.front().variant == "read_once"; };
  if (const auto found = std::find_if(list.rbegin(), list.rend(), is_once); found != list.rend())
    for (const bench::Case& aa : bench::aa_controls(*found)) list.push_back(aa);
  // What Vulkan can do without the driver's checks.
  for (Config& config : main_sweep) {
    config.checks = Checks::kOff;
    add(config);
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp05_strided",
      .question =
          "What does a stride between neighbouring threads cost, and how much of a published figure is footprint and cache?",
      .params = {Column::integer("block", "threads", "of a block"), Column::integer("grid", "blocks", "of a launch"),
                 Column::integer("elem_bytes", "bytes", "of an element, loaded or stored at once"),
                 Column::integer("stride", "elements", "between neighbouring threads'"),
                 Column::integer("l2_fetch_bytes", "bytes", "that the L2 is told to fetch at a time").optional(),
                 bench::checks_column()},
      .model = bench::model_columns(),
      .variants = {{"source_coalesced", "the post's first kernel: a grid-stride sum of neighbours, 4 bytes per float"},
                   {"source_strided", "the post's second: (i * 32) % n, which visits a 32nd of the floats 32 times"},
                   {"read_folded", "the same index without the division, one access in flight a thread"},
                   {"read_once", "a permutation with that stride: every element once; 4, 8 and 16 bytes per element"},
                   {"read_once_fetch", "read_once of 4 bytes, CUDA alone, with the L2 told how many bytes to fetch at a time"},
                   {"read_window",
                    "places `stride` words apart in `elements` words, read over and over past the L1: what the L2 holds"},
                   {"write_once", "the same permutation for stores"},
                   {"aa_control_a", "A/A control: read_once, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
