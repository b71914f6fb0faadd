// What does a warp's access pattern cost, in sectors and in time, and is it the same in CUDA and in Vulkan?
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "backends.h"
#include "core/experiment/access_model.h"
#include "core/experiment/checks.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp03_kernels.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Checks;
using bench::Column;
using bench::Plan;
using bench::Subject;
using bench::WarpAccess;
using bench::Workbench;

constexpr std::uint32_t kBlock = 256;

struct Variant;
// Compares an output of n elements with the CPU reference.
using Verify = void (*)(Workbench& bench, const Variant& variant, std::uint64_t n, const Buffer& output);

struct Variant {
  const char* name;              // of the twin's files
  std::uint32_t largest_log2;    // elements; cut to what fits
  std::uint32_t in_words;        // 32-bit words an element
  std::uint32_t out_words;       // likewise
  std::uint32_t useful_bytes;    // a warp of 32 elements: what the result needs, read + written
  std::uint32_t min_read_bytes;  // a warp: what memory must move in whole sectors, neighbours' shares not counted twice
  WarpAccess loads;
  WarpAccess stores;
  Verify verify;
  std::optional<std::uint32_t> offset = {};
  std::optional<std::uint32_t> fields = {};
};

// CPU references: word i of the output of n elements.
float expect_x(const Workbench& bench, const Variant& variant, std::uint64_t, std::uint64_t i) {
  return bench.input_value(0, i * variant.in_words);
}
// Of words, and of a value that is there either way: compilers vectorise that.
float poison_unless(bool written, float value) {
  return std::bit_cast<float>(written ? std::bit_cast<std::uint32_t>(value) : bench::kPoison);
}
float expect_read_offset(const Workbench& bench, const Variant& variant, std::uint64_t n, std::uint64_t i) {
  return poison_unless(i + *variant.offset < n, bench.input_value(0, i + *variant.offset));
}
float expect_write_offset(const Workbench& bench, const Variant& variant, std::uint64_t, std::uint64_t i) {
  return poison_unless(i >= *variant.offset, bench.input_value(0, i - *variant.offset));
}
float expect_inner_struct(const Workbench& bench, const Variant&, std::uint64_t, std::uint64_t i) {
  return bench.input_value(0, i) + (i % 2 == 0 ? 10.0F : 20.0F);
}
float expect_inner_array(const Workbench& bench, const Variant&, std::uint64_t n, std::uint64_t i) {
  return bench.input_value(0, i) + (i < n ? 10.0F : 20.0F);
}
float expect_permuted(const Workbench& bench, const Variant&, std::uint64_t, std::uint64_t i) {
  return bench.input_value(0, i / 32 * 32 + EXP03_PERMUTED(i % 32));
}
float expect_same(const Workbench& bench, const Variant&, std::uint64_t, std::uint64_t i) {
  return bench.input_value(0, i / 32 * 32);
}
float expect_struct_sum(const Workbench& bench, const Variant& variant, std::uint64_t, std::uint64_t i) {
  float sum = bench.input_value(0, i * variant.in_words);
  for (std::uint32_t field = 1; field < *variant.fields; ++field) sum += bench.input_value(0, i * variant.in_words + field);
  return sum;
}

// A function for each reference, so that its loop holds no call.
template <float (*kExpected)(const Workbench&, const Variant&, std::uint64_t, std::uint64_t)>
void verify_by(Workbench& bench, const Variant& variant, std::uint64_t n, const Buffer& output) {
  bench::verify<float>(bench, output, n * variant.out_words, bench::kGuardWords,
                       [&](std::uint64_t i) { return kExpected(bench, variant, n, i); });
}

// One instruction of a warp whose lanes access `bytes` each, `stride` bytes apart, from `first` bytes after a 128-byte
// boundary.
WarpAccess lanes(std::uint32_t stride, std::uint32_t bytes = 4, std::uint32_t first = 0) {
  return bench::warp_access(bytes, [=](std::uint32_t lane) { return std::uint64_t{first} + std::uint64_t{stride} * lane; });
}

Variant struct_read(std::uint32_t bytes, std::uint32_t fields) {
  const std::uint64_t touched = bench::distinct_sector_bytes(32, 4 * fields, [=](std::uint64_t i) { return i * bytes; });
  WarpAccess loads;
  for (std::uint32_t field = 0; field < fields; ++field) loads = loads + lanes(bytes, 4, 4 * field);
  return {"struct_read",
          29,
          bytes / 4,
          1,
          32 * (4 * fields + 4),
          static_cast<std::uint32_t>(touched),
          loads,
          lanes(4),
          verify_by<expect_struct_sum>,
          {},
          fields};
}

// The experiment is this table, with the access pattern of each variant beside it.
std::vector<Variant> variants(const Plan& plan) {
  std::vector<Variant> table = {
      {"read_aos_x", 27, 4, 1, 32 * (4 + 4), 32 * 16, lanes(16), lanes(4), verify_by<expect_x>},
      {"read_soa_x", 27, 1, 1, 32 * (4 + 4), 32 * 4, lanes(4), lanes(4), verify_by<expect_x>},
      {"read_aos_vec4", 27, 4, 1, 32 * (4 + 4), 32 * 16, lanes(16, 16), lanes(4), verify_by<expect_x>},
      {"inner_struct", 27, 2, 2, 32 * (8 + 8), 32 * 8, lanes(8) + lanes(8, 4, 4), lanes(8) + lanes(8, 4, 4),
       verify_by<expect_inner_struct>},
      {"inner_vec2", 27, 2, 2, 32 * (8 + 8), 32 * 8, lanes(8, 8), lanes(8, 8), verify_by<expect_inner_struct>},
      {"inner_array", 27, 2, 2, 32 * (8 + 8), 32 * 8, lanes(4) + lanes(4), lanes(4) + lanes(4), verify_by<expect_inner_array>},
      {"read_permuted", 28, 1, 1, 32 * (4 + 4), 32 * 4,
       bench::warp_access(4, [](std::uint32_t lane) { return 4ULL * EXP03_PERMUTED(lane); }), lanes(4),
       verify_by<expect_permuted>},
      {"read_same", 28, 1, 1, 4 + 32 * 4, 32, lanes(0), lanes(4), verify_by<expect_same>},
  };
  for (std::uint32_t offset = 0; offset <= 32; ++offset) {
    if (plan.smoke ? offset > 1 && offset != 8 : plan.quick && !std::has_single_bit(offset) && offset != 0) continue;
    const WarpAccess shifted = lanes(4, 4, 4 * offset);
    table.push_back(
        {"read_offset", 28, 1, 1, 32 * (4 + 4), 32 * 4, shifted, lanes(4), verify_by<expect_read_offset>, offset, {}});
    table.push_back(
        {"write_offset", 28, 1, 1, 32 * (4 + 4), 32 * 4, lanes(4), shifted, verify_by<expect_write_offset>, offset, {}});
  }
  for (const std::uint32_t bytes : {4U, 8U, 16U, 32U, 64U, 128U}) {
    const std::uint32_t all = bytes / 4;
    for (const std::uint32_t fields : std::set{1U, std::max(1U, all / 2), all}) table.push_back(struct_read(bytes, fields));
  }
  return table;
}

// Six steps, the same for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Variant& variant, std::uint64_t n, Checks checks) {
  bench::Launch launch;
  launch.kernel = &bench.kernel(
      {.images = &bench::find_kernel(bench::kernels::exp03(), variant.name),
       .entry = variant.fields ? fmt::format("{}_{}_{}", variant.name, variant.in_words * 4, *variant.fields) : variant.name,
       .block_x = kBlock,
       .constants = variant.fields ? std::vector{variant.in_words, *variant.fields} : std::vector<std::uint32_t>{},
       .buffers = 2,
       .params_bytes = sizeof(AccessParams),
       .vulkan = {.robustness = robustness_of(checks)}});
  launch.grid = {static_cast<std::uint32_t>((n + kBlock - 1) / kBlock), 1, 1};
  launch.params = bench::params_bytes(AccessParams{static_cast<std::uint32_t>(n), variant.offset.value_or(0), 0});
  const std::uint64_t out_words = n * variant.out_words;
  Buffer& output = bench.output("output", out_words);
  launch.buffers = {&bench.input(0, n * variant.in_words), &output};

  bench.device().run(launch);
  variant.verify(bench, variant, n, output);
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

bench::Case make_case(const Variant& variant, std::uint64_t n, Checks checks) {
  bench::Case result = bench::twin(variant.name,
                                   {{"block", kBlock},
                                    {"offset", variant.offset},
                                    {"struct_bytes", variant.fields ? std::optional(4 * variant.in_words) : std::nullopt},
                                    {"fields", variant.fields},
                                    {"checks", checks_value(checks)}},
                                   [=](Workbench& bench) { return set_up(bench, variant, n, checks); });
  result.vulkan = vulkan_of(checks);
  const std::uint64_t warps = n / bench::kWarpLanes;
  const std::uint64_t min_read = warps * variant.min_read_bytes;
  const std::uint64_t min_write = n * variant.out_words * 4;
  result.model = bench::model_values(variant.loads, variant.stores, min_read, min_write);
  result.elements = n;
  // The last `offset` elements are neither read nor written, and not counted.
  result.useful_bytes = warps * variant.useful_bytes - variant.offset.value_or(0) * 8;
  result.footprint_bytes = min_read + min_write;
  return result;
}

// The layouts run at Worklog #05's size (4 Mi particles * 16 B = 64 MiB as AoS) and at the largest; the others at their
// largest.
std::vector<std::uint64_t> sizes(const Plan& plan, const Variant& variant) {
  if (variant.verify == verify_by<expect_x>) return plan.sizes_or(22, 27, 5, sizeof(Particle));
  const std::uint64_t bytes = sizeof(float) * std::max(variant.in_words, variant.out_words);
  Plan cut = plan;  // a --size that fits the others is not refused because of the widest structs
  const std::uint64_t most = plan.most(bytes);
  if (variant.fields)
    std::for_each(cut.sizes.begin(), cut.sizes.end(), [=](std::uint64_t& size) { size = std::min(size, most); });
  return {cut.largest(variant.largest_log2, bytes)};
}

// With few offsets: all kernels, and not each in all of its places.
Plan coarse(Plan plan) {
  plan.quick = true;
  return plan;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  const auto add = [&](const Variant& variant, Checks checks) {
    for (const std::uint64_t n : sizes(plan, variant)) {
      bench::Case one = make_case(variant, n, checks);
      for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
        one.cache = cache;
        list.push_back(one);
      }
    }
  };
  for (const Variant& variant : variants(plan)) add(variant, Checks::kDefault);
  const auto is_soa = [](const bench::Case& one) { return one.sides.front().variant == "read_soa_x"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.rbegin(), list.rend(), is_soa))) list.push_back(aa);
  for (const Variant& variant : variants(coarse(plan))) add(variant, Checks::kOff);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp03_memory_coalescing",
      .question = "What does a warp's access pattern cost, in sectors and in time, and is it the same in CUDA and Vulkan?",
      .params = {Column::integer("block", "threads", "of a block"),
                 Column::integer("offset", "floats", "between the reader's index and the writer's").optional(),
                 Column::integer("struct_bytes", "bytes", "of a struct").optional(),
                 Column::integer("fields", "floats", "of it that are read").optional(), bench::checks_column()},
      .model = bench::model_columns(),
      .variants = {{"read_aos_x", "one field of a 16-byte struct: useful 8 bytes per element, moved 20"},
                   {"read_soa_x", "the same field from an array of its own: 8 bytes per element"},
                   {"read_aos_vec4",
                    "the whole struct in one 16-byte load, one field kept: useful 8 bytes per element, moved 20"},
                   {"inner_struct", "both fields of an 8-byte struct, changed and stored, AoS: 16 bytes per element"},
                   {"inner_vec2", "the same of a struct that is aligned to its 8 bytes: 16 bytes per element"},
                   {"inner_array", "the same as two arrays in one buffer: 16 bytes per element"},
                   {"read_permuted", "lanes permuted within each 128-byte line: 8 bytes per element"},
                   {"read_same", "all lanes of a warp read one address: useful 4 + 4/32 bytes per element, moved 4 + 1"},
                   {"read_offset", "b[i] = a[i + offset], offset in floats: 8 bytes per element"},
                   {"write_offset", "b[i + offset] = a[i], offset in floats: 8 bytes per element"},
                   {"struct_read", "the sum of the first `fields` floats of a struct: useful 4 * fields + 4 bytes per element"},
                   {"aa_control_a", "A/A control: read_soa_x at the largest size, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
