// Does the simplest kernel cost the same through CUDA and through Vulkan, from a bare launch to the memory's limit?
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends.h"
#include "core/experiment/access_model.h"
#include "core/experiment/checks.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp01_kernels.h"
#include "launch.h"
#include "params.h"
#include "ruler.h"

namespace {

using bench::Buffer;
using bench::Checks;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kBlocks[] = {64, 128, 256, 512, 1024};
constexpr std::uint32_t kLargestLog2 = 29;  // 2^29 floats * 4 B = 2 GiB a buffer

// How a kernel's inputs and output relate; with the width of an access, this is all that is counted.
enum class Operation : std::uint8_t { kAdd, kCopy, kRead, kWrite };

struct Variant {
  const char* name;
  const char* stem;  // of the twin's files
  Operation operation;
  std::uint32_t elem_bytes;  // width of one access
  std::uint32_t unroll;      // accesses in flight per thread
  std::vector<std::uint32_t> blocks;

  std::uint32_t inputs() const { return operation == Operation::kAdd ? 2 : operation == Operation::kWrite ? 0 : 1; }
  // Of kRead, which stores a word a block, not counted.
  std::uint32_t outputs() const { return operation == Operation::kRead ? 0 : 1; }
  // Read + written per float.
  std::uint32_t bytes() const { return (inputs() + outputs()) * sizeof(float); }
  // What a full warp's `arrays` x `unroll` instructions need: lanes side by side.
  bench::WarpAccess access(std::uint32_t arrays) const {
    bench::WarpAccess sum;
    for (std::uint32_t i = 0; i < arrays * unroll; ++i)
      sum = sum + bench::warp_access(elem_bytes, [this](std::uint32_t lane) { return std::uint64_t{elem_bytes} * lane; });
    return sum;
  }
};

// The experiment is these two tables (and the launch chains below). Additions: at all sizes, in several block sizes.
const Variant kAddF32x4 = {"add_f32x4", "add_f32x4", Operation::kAdd, 16, 1, {256}};
const Variant kAdditions[] = {{"add_f32", "add_f32", Operation::kAdd, 4, 1, {256}}, kAddF32x4};
// What the memory can do at best: at the largest size.
const Variant kCeilings[] = {
    {"copy_f32", "copy_f32", Operation::kCopy, 4, 1, {256}},
    {"copy_tile", "copy_tile", Operation::kCopy, 16, 1, {256, 512, 1024}},
    {"copy_tile", "copy_tile", Operation::kCopy, 16, 2, {256, 512, 1024}},
    {"copy_tile", "copy_tile", Operation::kCopy, 16, 4, {256, 512}},
    {"read_tile", "read_tile", Operation::kRead, 16, 2, {256, 512}},
    {"read_tile", "read_tile", Operation::kRead, 16, 4, {256, 512}},
    {"read_tile", "read_tile", Operation::kRead, 16, 8, {256, 512}},
    {"write_tile", "write_tile", Operation::kWrite, 16, 1, {256, 512}},
    {"write_tile", "write_tile", Operation::kWrite, 16, 4, {256}},
};

std::uint32_t blocks_for(std::uint64_t threads, std::uint32_t block) {
  return static_cast<std::uint32_t>((threads + block - 1) / block);
}

constexpr const char* kInput = "input 0";  // what a copy must be

// CPU references: what word i of the output must be.
float expect_add(const Workbench& bench, std::uint64_t i) { return bench.input_value(0, i) + bench.input_value(1, i); }
std::uint32_t bits(const Workbench& bench, std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i)); }
std::uint32_t expect_write(std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); }
std::uint32_t expect_xor(const Workbench& bench, std::uint64_t tile, std::uint64_t tile_words, std::uint64_t words) {
  std::uint32_t sum = 0;
  for (std::uint64_t i = tile * tile_words; i < std::min((tile + 1) * tile_words, words); ++i) sum ^= bits(bench, i);
  return sum;
}

// Six steps, the same for both APIs: kernel, inputs, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Variant& variant, std::uint32_t block, std::uint64_t floats,
                                Checks checks) {
  const std::uint64_t accesses = floats * sizeof(float) / variant.elem_bytes;
  const std::uint64_t tile_words = static_cast<std::uint64_t>(block) * variant.unroll * variant.elem_bytes / sizeof(float);
  const std::uint32_t grid = blocks_for(accesses, block * variant.unroll);
  const bool tiled = std::string_view(variant.stem).ends_with("_tile");

  std::vector<const Buffer*> buffers;
  if (variant.operation != Operation::kWrite) buffers.push_back(&bench.input(0, floats));
  if (variant.operation == Operation::kAdd) buffers.push_back(&bench.input(1, floats));
  const std::uint64_t output_words = variant.operation == Operation::kRead ? grid : floats;
  Buffer& output = bench.output("output", output_words);
  buffers.push_back(&output);

  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp01(), variant.stem),
                                 .entry = tiled ? fmt::format("{}_{}", variant.stem, variant.unroll) : variant.stem,
                                 .block_x = block,
                                 .constants = tiled ? std::vector<std::uint32_t>{variant.unroll} : std::vector<std::uint32_t>{},
                                 .buffers = static_cast<std::uint32_t>(buffers.size()),
                                 .params_bytes = sizeof(CountParams),
                                 .vulkan = {.robustness = robustness_of(checks)}});
  launch.grid = {grid, 1, 1};
  launch.buffers = buffers;
  launch.params = bench::params_bytes(CountParams{static_cast<std::uint32_t>(accesses)});

  bench.device().run(launch);
  const auto check_words = [&](const std::string& reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, output, output_words, bench::kGuardWords, expected);
  };
  switch (variant.operation) {
    case Operation::kAdd:
      bench::verify<float>(bench, "input 0 + input 1", output, floats, bench::kGuardWords,
                           [&](std::uint64_t i) { return expect_add(bench, i); });
      break;
    case Operation::kCopy:
      check_words(kInput, [&](std::uint64_t i) { return bits(bench, i); });
      break;
    case Operation::kWrite:
      check_words("incompressible words", expect_write);
      break;
    case Operation::kRead:
      check_words(fmt::format("xor of every {} words of input 0 of {}", tile_words, floats),
                  [&](std::uint64_t i) { return expect_xor(bench, i, tile_words, floats); });
      break;
  }
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

std::unique_ptr<Subject> set_up_api_copy(Workbench& bench, std::uint64_t floats) {
  Buffer& output = bench.output("output", floats);
  const bench::Copy copy = {&bench.input(0, floats), &output, floats * sizeof(float)};
  bench.device().run(copy);
  bench::verify<std::uint32_t>(bench, kInput, output, floats, bench::kGuardWords,
                               [&](std::uint64_t i) { return bits(bench, i); });
  bench.makes_outputs_anew();
  return bench.device().prepare(copy, {});
}

bench::Case throughput_case(const Variant& variant, std::uint32_t block, std::uint64_t floats, bench::Cache cache,
                            Checks checks = Checks::kDefault) {
  bench::Case result = bench::twin(
      variant.name,
      {{"block", block}, {"elem_bytes", variant.elem_bytes}, {"unroll", variant.unroll}, {"checks", checks_value(checks)}},
      [=](Workbench& bench) { return set_up(bench, variant, block, floats, checks); });
  result.vulkan = vulkan_of(checks);
  result.elements = floats;
  result.useful_bytes = floats * variant.bytes();
  result.footprint_bytes = floats * variant.bytes();
  result.model = bench::model_values(variant.access(variant.inputs()), variant.access(variant.outputs()),
                                     floats * variant.inputs() * sizeof(float), floats * variant.outputs() * sizeof(float),
                                     bench::kWarpLanes * variant.elem_bytes / 4 * variant.unroll);
  result.cache = cache;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list = launch_cases();
  for (const bench::Case& one : ruler_cases(plan)) list.push_back(one);
  const auto add = [&](const Variant& variant, std::uint32_t block, std::uint64_t floats, Checks checks = Checks::kDefault) {
    for (const bench::Cache cache : plan.caches_for(floats * variant.bytes())) {
      list.push_back(throughput_case(variant, block, floats, cache, checks));
    }
  };

  const std::vector<std::uint64_t> sizes = plan.sizes_or(10, kLargestLog2, plan.quick ? 4 : 1, sizeof(float));
  const std::uint64_t largest = sizes.back();
  for (const std::uint64_t floats : sizes) {
    for (const Variant& variant : kAdditions) add(variant, variant.blocks.front(), floats);
  }
  // Half the L2 holds the three arrays: 12 bytes a float.
  std::uint64_t resident = 32;
  while (resident * 2 * 12 <= plan.l2_bytes / 2) resident *= 2;
  for (const std::uint64_t floats : {std::min(resident, largest), largest}) {
    for (const Variant& variant : kAdditions) {
      for (const std::uint32_t block : kBlocks) {
        const bool in_sweep = block == variant.blocks.front() && std::find(sizes.begin(), sizes.end(), floats) != sizes.end();
        if (!in_sweep && (!plan.quick || floats == largest)) add(variant, block, floats);
      }
    }
    if (largest <= resident) break;
  }
  // The ceilings twice: cold leaves the last written lines, up to the L2's size, unpaid in the cache; warm, back to back, each
  // launch pays for its predecessor's.
  std::vector<bench::Cache> caches = plan.caches_for(largest * 8);
  if (plan.caches.empty() && caches.front() == bench::Cache::kCold && !plan.quick) caches.push_back(bench::Cache::kWarm);
  for (const bench::Cache cache : caches) {
    for (const Variant& variant : kCeilings) {
      for (const std::uint32_t block : variant.blocks) list.push_back(throughput_case(variant, block, largest, cache));
    }
    bench::Case copy = bench::twin("copy_api", {}, [largest](Workbench& bench) { return set_up_api_copy(bench, largest); });
    copy.elements = largest;
    copy.useful_bytes = copy.footprint_bytes = largest * 8;
    copy.cache = cache;
    list.push_back(copy);
  }
  // A/A controls of every class: streaming from memory, in batches out of the L2, and batches of the shortest launches.
  const auto is_warm = [&](std::uint64_t floats) { return plan.caches_for(floats * 12).front() == bench::Cache::kWarm; };
  std::set<std::uint64_t> controlled = {sizes.front(), largest};
  if (const auto warm = std::find_if(sizes.rbegin(), sizes.rend(), is_warm); warm != sizes.rend()) controlled.insert(*warm);
  for (const std::uint64_t floats : controlled) {
    const bench::Cache cache = plan.caches_for(floats * 12).front();
    for (const bench::Case& control : bench::aa_controls(throughput_case(kAddF32x4, kAddF32x4.blocks.front(), floats, cache))) {
      list.push_back(control);
    }
  }
  // What Vulkan can do without the driver's checks: the additions at all sizes, the others where they are measured cold.
  for (const std::uint64_t floats : sizes) {
    for (const Variant& variant : kAdditions) add(variant, variant.blocks.front(), floats, Checks::kOff);
  }
  for (const Variant& variant : kCeilings) {
    for (const std::uint32_t block : variant.blocks)
      list.push_back(throughput_case(variant, block, largest, caches.front(), Checks::kOff));
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp01_vector_add",
      .question = "Does the simplest kernel cost the same through CUDA and Vulkan, from a bare launch to the memory's limit?",
      .params = {Column::integer("block", "threads", "of a block").optional(),
                 Column::integer("elem_bytes", "bytes", "width of one access").optional(),
                 Column::integer("unroll", "accesses", "in flight a thread").optional(),
                 Column::integer("chain", "launches", "of a submission").optional(),
                 Column::text("mode", "submitted anew (stream, rerecorded) or only replayed (graph, prerecorded)").optional(),
                 bench::checks_column()},
      .model = bench::model_columns(),
      .measured = ruler_columns(),
      .variants = {{"add_f32", "c = a + b, one float per thread: 12 bytes per float; every size, several block sizes"},
                   {"add_f32x4", "c = a + b, 16-byte accesses: 12 bytes per float; every size, several block sizes"},
                   {"copy_f32", "b = a, one float per thread: 8 bytes per float"},
                   {"copy_tile", "b = a, 16-byte accesses, `unroll` of them in flight a thread: 8 bytes per float"},
                   {"read_tile", "XOR of everything, 16-byte loads, `unroll` of them in flight a thread: 4 bytes per float"},
                   {"write_tile", "16-byte stores of computed words: 4 bytes per float"},
                   {"copy_api", "cudaMemcpyAsync device to device, vkCmdCopyBuffer: 8 bytes per float"},
                   {"empty", "an empty kernel, `chain` launches a submission; times are per launch"},
                   {"chain", "one warp increments a counter, `chain` dependent launches a submission; times are per launch"},
                   {"stamp_pair", "two device stamps with nothing between them: the timer's own cost"},
                   {"ruler", "one warp that waits `elements` nanoseconds by the GPU's clock; times are per launch"},
                   {"ruler_full", "the same with as many blocks as the GPU has SMs"},
                   {"aa_control_a", "A/A control: add_f32x4 at three sizes, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
