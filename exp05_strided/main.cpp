// What does a stride between neighbouring threads cost, and how much of a published figure is footprint and cache?
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "backends.h"
#include "core/access_model.h"
#include "core/experiment.h"
#include "core/verify.h"
#include "exp05_kernels.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Plan;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kSourceGrid = 256;   // the post's blocks: too few for a large GPU
constexpr std::uint32_t kFullGrid = 4096;    // 1 Mi threads: several times what the largest GPU holds at once
constexpr std::uint32_t kSourceLog2 = 24;    // the post's 16 Mi floats
constexpr std::uint32_t kResidentLog2 = 20;  // 4 MiB of 4-byte elements: in any large GPU's L2
constexpr std::uint32_t kLargestLog2 = 28;   // of 4 bytes: 1 GiB; fewer of the wider

enum class Index : std::uint8_t { kPlain, kFolded, kOnce };
enum class Output : std::uint8_t { kFloatSum, kWordSum, kEveryWord };

struct Variant {
  const char* name;
  const char* stem;
  std::uint32_t elem_bytes;
  Index index;
  Output output;
  std::vector<std::uint32_t> grids;
  std::vector<std::uint32_t> strides;
  std::vector<std::uint32_t> sizes_log2;  // elements; 0: the largest that fits
};

// Powers of two, and odd neighbours that share no factor with the size.
const std::vector<std::uint32_t> kSweep = {1,  2,  3,  4,  5,  7,   8,   9,   15,  16,   17,   31,
                                           32, 33, 63, 64, 65, 127, 128, 129, 256, 1024, 4096, 65536};
const std::vector<std::uint32_t> kShortSweep = {1, 2, 3, 4, 8, 16, 32, 33, 64, 128};

// The experiment is this table.
const Variant kVariants[] = {
    {"source_coalesced", "source_coalesced", 4, Index::kPlain, Output::kFloatSum, {kSourceGrid, kFullGrid}, {1}, {kSourceLog2}},
    {"source_strided", "source_strided", 4, Index::kFolded, Output::kFloatSum, {kSourceGrid, kFullGrid}, {32}, {kSourceLog2}},
    {"read_folded", "read_folded", 4, Index::kFolded, Output::kWordSum, {kSourceGrid}, {1, 32}, {kSourceLog2}},
    {"read_folded", "read_folded", 4, Index::kFolded, Output::kWordSum, {kFullGrid}, kShortSweep, {kSourceLog2, 0}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kSourceGrid}, {1, 32}, {kSourceLog2}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {kResidentLog2, kSourceLog2}},
    {"read_once", "read_once_4", 4, Index::kOnce, Output::kWordSum, {kFullGrid}, kSweep, {0}},
    {"read_once", "read_once_8", 8, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {0}},
    {"read_once", "read_once_16", 16, Index::kOnce, Output::kWordSum, {kFullGrid}, kShortSweep, {0}},
    {"write_once", "write_once_4", 4, Index::kOnce, Output::kEveryWord, {kFullGrid}, kSweep, {0}},
    {"write_once", "write_once_8", 8, Index::kOnce, Output::kEveryWord, {kFullGrid}, kShortSweep, {0}},
    {"write_once", "write_once_16", 16, Index::kOnce, Output::kEveryWord, {kFullGrid}, kShortSweep, {0}},
};

// One cell of a variant's table: everything that the set-up and the reference need.
struct Cell {
  const Variant* variant = nullptr;
  std::uint32_t grid = 0;
  StrideParams params{};

  std::uint32_t words() const { return variant->elem_bytes / 4; }
  std::uint32_t threads() const { return grid * kBlock; }
  // How often the index begins anew: 1 where it visits every element.
  std::uint32_t laps() const { return std::gcd(params.count, params.stride); }
  std::uint32_t at(std::uint32_t i) const {
    return variant->index == Index::kOnce ? EXP05_ONCE(i, params) : EXP05_FOLDED(i, params);
  }
};

// CPU reference: what thread `first` sums up, in its order.
std::uint32_t expected_sum(const Workbench& bench, const Cell& cell, std::uint32_t first) {
  const bool floats = cell.variant->output == Output::kFloatSum;
  std::uint32_t sum = 0;
  float float_sum = 0;
  for (std::uint32_t i = first; i < cell.params.count; i += cell.threads()) {
    const std::uint64_t word = std::uint64_t{cell.at(i)} * cell.words();
    if (floats) float_sum += bench.input_value(0, word);
    for (std::uint32_t w = 0; !floats && w < cell.words(); ++w)
      sum += std::bit_cast<std::uint32_t>(bench.input_value(0, word + w));
  }
  return floats ? std::bit_cast<std::uint32_t>(float_sum) : sum;
}

// Six steps, the same for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Cell& cell) {
  const bool writes = cell.variant->output == Output::kEveryWord;
  const std::uint64_t elements_words = std::uint64_t{cell.params.count} * cell.words();
  const std::uint64_t out_words = writes ? elements_words : std::min(cell.threads(), cell.params.count);
  bench::Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp05(), cell.variant->stem),
                                 .entry = cell.variant->stem,
                                 .block_x = kBlock,
                                 .glsl_constants = {},
                                 .buffers = writes ? 1U : 2U,
                                 .params_bytes = sizeof(StrideParams)});
  launch.grid = {cell.grid, 1, 1};
  launch.params = bench::params_bytes(cell.params);
  if (!writes) launch.buffers.push_back(&bench.input(0, elements_words));
  Buffer& output = bench.output("output", out_words);
  launch.buffers.push_back(&output);

  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench.device(), output, out_words, bench::kGuardWords, [&](std::uint64_t i) {
    const auto word = static_cast<std::uint32_t>(i);
    return writes ? incompressible_word(word) : expected_sum(bench, cell, word);
  });
  return bench.device().prepare(launch, {});
}

bench::Case make_case(const Cell& cell) {
  const Variant& variant = *cell.variant;
  const std::uint64_t n = cell.params.count;
  const bool writes = variant.output == Output::kEveryWord;
  bench::Case result = bench::twin(variant.name,
                                   {std::to_string(kBlock), std::to_string(cell.grid), std::to_string(variant.elem_bytes),
                                    std::to_string(cell.params.stride)},
                                   [cell](Workbench& bench) { return set_up(bench, cell); });
  // Of one turn of the loop. A thread's one store of its sum is left out: it comes once in many turns.
  const std::uint64_t step = std::uint64_t{variant.elem_bytes} * cell.params.stride;
  const bench::WarpAccess access = bench::warp_access(variant.elem_bytes, [step](std::uint32_t lane) { return step * lane; });
  // The distinct bytes, in whole sectors: the folded index comes back to the same few.
  const std::uint64_t apart = std::uint64_t{variant.elem_bytes} * (variant.index == Index::kFolded ? cell.laps() : 1);
  const std::uint64_t visited = n * variant.elem_bytes / apart;
  const std::uint64_t touched = visited * std::min(apart, bench::kSectorBytes);
  const std::uint64_t sums = std::min<std::uint64_t>(cell.threads(), n) * 4;
  for (const std::uint64_t figure : writes
                                        ? std::array<std::uint64_t, 6>{0, 0, access.requests, access.sectors, 0, touched}
                                        : std::array<std::uint64_t, 6>{access.requests, access.sectors, 0, 0, touched, sums}) {
    result.model.push_back(std::to_string(figure));
  }
  result.elements = n;
  // What the kernel asks for, visits of the same element counted each.
  result.useful_bytes = n * variant.elem_bytes + (writes ? 0 : sums);
  result.footprint_bytes = touched;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  std::set<std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  const auto add = [&](const Cell& cell) {
    // On a small device several of the table's sizes are the same.
    if (!seen.emplace(cell.variant->name, cell.variant->elem_bytes, cell.grid, cell.params.stride, cell.params.count).second)
      return;
    bench::Case one = make_case(cell);
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  };
  for (const Variant& variant : kVariants) {
    const std::uint64_t largest =
        plan.largest(kLargestLog2 - static_cast<std::uint32_t>(std::countr_zero(variant.elem_bytes / 4)), variant.elem_bytes);
    for (const std::uint32_t log2 : variant.sizes_log2) {
      const std::uint64_t wanted = log2 == 0 ? largest : std::min(largest, std::uint64_t{1} << log2);
      const auto count = static_cast<std::uint32_t>(std::bit_floor(wanted));
      for (const std::uint32_t grid : variant.grids) {
        for (const std::uint32_t stride : variant.strides) {
          if (stride >= count || (plan.quick && !std::has_single_bit(stride)) || (plan.smoke && stride > 3 && stride != 32))
            continue;
          const std::uint32_t laps = std::gcd(count, stride);
          add({&variant, grid, {count, stride, static_cast<std::uint32_t>(std::countr_zero(count / laps))}});
        }
      }
    }
  }
  const auto is_once = [](const bench::Case& one) { return one.sides.front().variant == "read_once"; };
  if (const auto found = std::find_if(list.rbegin(), list.rend(), is_once); found != list.rend())
    for (const bench::Case& aa : bench::aa_controls(*found)) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp05_strided",
      .question =
          "What does a stride between neighbouring threads cost, and how much of a published figure is footprint and cache?",
      .params = {"block", "grid", "elem_bytes", "stride"},
      .model = {"load_requests", "load_sectors", "store_requests", "store_sectors", "min_read_bytes", "min_write_bytes"},
      .variants = {{"source_coalesced", "the post's first kernel: a grid-stride sum of neighbours, 4 bytes a float"},
                   {"source_strided", "the post's second: (i * 32) % n, which visits a 32nd of the floats 32 times"},
                   {"read_folded", "the same index without the division, one access in flight a thread"},
                   {"read_once", "a permutation with that stride: every element once; 4, 8 and 16 bytes an element"},
                   {"write_once", "the same permutation for stores"},
                   {"aa_control_a", "A/A control: read_once, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
