// Do buffer device addresses make a Vulkan kernel a CUDA kernel, and what causes the differences in time that remain?
#include <algorithm>
#include <bit>
#include <string_view>

#include "backends.h"
#include "core/base/random.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "params.h"
#include "variant.h"
#include "variants.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Memory;
using bench::Plan;
using bench::QueueKind;
using bench::QueuePriority;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kLargestLog2 = 28;       // 2^28 floats * 4 B = 1 GiB a buffer
constexpr std::uint32_t kQueueBlock = 128;       // short enough for a queue with graphics to show
constexpr std::uint32_t kQuickBlock = 256;       // every kernel has a variant of that
constexpr std::uint64_t kGathered = 1ULL << 20;  // of gather_u32: 4 MiB, in any large GPU's L2
constexpr std::uint32_t kSpinSteps = 1U << 16;   // ~0.3 ms
constexpr std::uint32_t kSharedBlocksPerSm = 4;  // of what loads a large array of shared memory
constexpr std::uint32_t kLoopBlock = 256;        // of loop_f32

enum class Operation { kAdd, kCopy, kGather, kSpin, kAddToStruct, kWrite, kWriteRamp, kWriteZero, kLoad, kNothing };

// How many blocks it takes to fill this GPU.
struct Full {
  std::uint32_t shared_blocks;  // kSharedBlocksPerSm for each SM. H200: 528
  std::uint32_t loop_blocks;    // a power of two: what the GPU holds at once, or up to twice that. H200: 2048 for 1056
};
Full full_of(const Plan& plan) {
  return {kSharedBlocksPerSm * std::max(plan.multiprocessors, 1U), std::bit_ceil(plan.resident_blocks(kLoopBlock))};
}

// A kernel's data, read and written, in floats of the largest size.
struct Base {
  const char* name;
  Operation operation;  // that fills the output
  std::uint32_t inputs;
  std::uint32_t width;  // floats a thread
  std::uint32_t bytes;  // read + written per float; 0: no bandwidth to speak of
};
const Base kBases[] = {
    {"add_f32", Operation::kAdd, 2, 1, 12},         {"add_f32x4", Operation::kAdd, 2, 4, 12},
    {"copy_f32", Operation::kCopy, 1, 1, 8},        {"copy_f32x4", Operation::kCopy, 1, 4, 8},
    {"write_u32x4", Operation::kWrite, 0, 4, 4},    {"write_ramp", Operation::kWriteRamp, 0, 4, 4},
    {"write_zero", Operation::kWriteZero, 0, 4, 4}, {"inner_struct", Operation::kAddToStruct, 1, 2, 8},
    {"load_f32", Operation::kLoad, 1, 1, 4},        {"store_u32", Operation::kWrite, 0, 1, 4},
    {"loop_f32", Operation::kCopy, 1, 1, 8},        {"empty", Operation::kNothing, 0, 1, 0},
    {"gather_u32", Operation::kGather, 1, 1, 8},    {"spin_u32", Operation::kSpin, 0, 1, 0},
};

constexpr std::uint32_t gather_shift(std::uint64_t floats) { return static_cast<std::uint32_t>(std::countr_zero(floats)) - 5; }

// Calls check(reference, expected) with what the output must be, and the CPU reference of its word i. A loop of its own for
// each operation: compilers vectorise most.
template <class Check>
void check_output(const Workbench& bench, Operation operation, std::uint64_t floats, const Check& check) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  const auto input = [&](std::uint64_t i) { return bench.input_value(0, i); };
  switch (operation) {
    case Operation::kAdd:
      return check("input 0 + input 1", [&](std::uint64_t i) { return bits(input(i) + bench.input_value(1, i)); });
    case Operation::kCopy:
      return check("input 0", [&](std::uint64_t i) { return bits(input(i)); });
    case Operation::kGather: {
      const std::uint32_t shift = gather_shift(floats);
      return check("gathered", [&](std::uint64_t i) { return bits(input(EXP04_GATHERED(i, floats, shift))); });
    }
    case Operation::kSpin:
      return check("spun", [](std::uint64_t i) {
        auto value = static_cast<std::uint32_t>(i);
        for (std::uint32_t step = 0; step < kSpinSteps; ++step) value = EXP04_SPUN(value);
        return value;
      });
    case Operation::kAddToStruct:
      return check("10 and 20 added", [&](std::uint64_t i) { return bits(input(i) + (i % 2 == 0 ? 10.0F : 20.0F)); });
    case Operation::kWrite:
      return check("incompressible words", [](std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); });
    case Operation::kWriteRamp:
      return check("ramp", [](std::uint64_t i) { return EXP04_RAMP(static_cast<std::uint32_t>(i)); });
    case Operation::kWriteZero:
      return check("zeros", [](std::uint64_t) { return 0U; });
    case Operation::kLoad:
    case Operation::kNothing:
      throw bench::Error("what these leave is not verified here");
  }
}

// load_f32 stores a zero where it finds the poison, which no input holds. So an input that is poison shows that it reads every
// word, and one poisoned word in the input that is timed shows that a launch has run at all.
std::unique_ptr<Subject> set_up_loads(Workbench& bench, const Launch& launch, Buffer& input, Buffer& output,
                                      std::uint64_t floats, Memory memory) {
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench.device(), output, floats, bench::kGuardWords, [](std::uint64_t) { return 0U; });

  const std::uint64_t last = floats - 1;
  bench.device().fill_random(input, 0, floats, bench::random_key(bench.input_seed(), 0));
  const auto plant = [&bench, &input, last] {
    bench.device().fill(input, last * sizeof(std::uint32_t), sizeof(std::uint32_t), bench::kPoison);
  };
  bench.output("output", floats, memory);
  plant();
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, "poison, and a zero at the end", output, floats, bench::kGuardWords,
                               [last](std::uint64_t i) { return i == last ? 0U : bench::kPoison; });
  bench.makes_outputs_anew(plant);
  bench.device().fill_random(input, last, 1, bench::random_key(bench.input_seed(), 0));
  return bench.device().prepare(launch, {});
}

// Six steps, the same for both APIs: kernel, inputs, poisoned output, one run, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Variant& variant, const Base& base, std::uint32_t block,
                                std::uint64_t floats, const Full& full) {
  Launch launch;
  Buffer* own_input = base.operation == Operation::kLoad ? &bench.output("input of loads", floats, variant.memory) : nullptr;
  for (std::uint32_t i = 0; i < base.inputs; ++i) {
    launch.buffers.push_back(own_input != nullptr ? own_input : &bench.input(i, floats, variant.memory));
  }
  Buffer& output = bench.output("output", floats, variant.memory);
  launch.buffers.push_back(&output);
  launch.kernel = &kernel(bench, variant, base.name, block, launch.buffers.size());
  const std::uint64_t threads = floats / base.width;
  const std::uint32_t grid = blocks_for(threads, block);
  launch.grid = {std::string_view(base.name) == "loop_f32" ? std::min(grid, full.loop_blocks) : grid, 1, 1};
  const auto bytes = [](const Buffer& buffer) { return static_cast<std::uint32_t>(std::min(buffer.bytes(), 0xffffffffUL)); };
  const std::uint32_t steps = base.operation == Operation::kGather ? gather_shift(floats) : kSpinSteps;
  launch.params =
      bench::params_bytes(BdaParams{static_cast<std::uint32_t>(threads), bytes(*launch.buffers.front()), bytes(output), steps});

  if (base.operation == Operation::kLoad) return set_up_loads(bench, launch, *own_input, output, floats, variant.memory);
  bench.device().run(launch);
  if (base.operation == Operation::kNothing) {
    bench.nothing_to_compare();
    return bench.device().prepare(launch, {});
  }
  check_output(bench, base.operation, floats, [&](const char* reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, output, floats, bench::kGuardWords, expected);
  });
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

bool is(const Variant& variant, const char* feature) { return variant.feature == std::string_view(feature); }

bench::Case make_case(const Variant& variant, std::uint32_t block, std::uint64_t floats, const Full& full) {
  const bench::Values params = {{"block", block},
                                {"feature", variant.feature},
                                {"memory", bench::to_string(variant.memory)},
                                {"checks", bench::checks_value(variant.checks)},
                                {"shared_bytes", bench::unless_zero(variant.shared_bytes)}};
  if (std::string_view(variant.base) == "chase") {
    const std::uint64_t nodes = std::bit_floor(std::max<std::uint64_t>(floats, 64) / 2);
    bench::Case chase =
        bench::twin(variant.base, params, [=](Workbench& bench) { return set_up_chase(bench, variant, block, nodes); });
    chase.elements = nodes;
    chase.footprint_bytes = nodes * 8;
    return chase;
  }
  if (variant.shared_bytes != 0) {
    const auto fitting = static_cast<std::uint32_t>(std::max<std::uint64_t>(floats * 4 / variant.shared_bytes, 1));
    const std::uint32_t blocks = std::min(full.shared_blocks, fitting);
    bench::Case shared = bench::twin(variant.base, params,
                                     [=](Workbench& bench) { return set_up_shared_memory(bench, variant, block, blocks); });
    shared.elements = std::uint64_t{blocks} * variant.shared_bytes / 4;
    shared.useful_bytes = shared.footprint_bytes = shared.elements * 4;
    return shared;
  }
  const auto* base = std::find_if(std::begin(kBases), std::end(kBases),
                                  [&](const Base& b) { return b.name == std::string_view(variant.base); });
  if (base->operation == Operation::kGather) floats = std::min(std::bit_floor(floats), kGathered);
  if (base->operation == Operation::kSpin) floats = block;
  const std::uint64_t whole = std::max<std::uint64_t>(floats / base->width, 1) * base->width;
  bench::Case result =
      bench::twin(variant.base, params, [=](Workbench& bench) { return set_up(bench, variant, *base, block, whole, full); });
  result.elements = whole;
  result.useful_bytes = result.footprint_bytes = whole * base->bytes;
  return result;
}

bench::VulkanChoice vulkan_of(const Variant& variant) {
  bench::VulkanChoice choice = bench::vulkan_of(variant.checks);
  choice.queue = is(variant, kGraphicsQueueFeature) ? QueueKind::kGraphics : QueueKind::kCompute;
  if (is(variant, kLowPriority)) choice.priority = QueuePriority::kLow;
  if (is(variant, kHighPriority)) choice.priority = QueuePriority::kHigh;
  choice.companion = is(variant, kSecondDevice);
  choice.sparse_binding = variant.memory == Memory::kSparse || variant.memory == Memory::kScattered;
  return choice;
}
// As it is, or through addresses, of a kernel that the square has.
bool is_of_square(const Variant& variant) {
  const auto same_base = [&](const Variant& one) { return one.base == std::string_view(variant.base); };
  return (is(variant, "none") || is(variant, "vulkan_address")) && variant.memory == Memory::kOwn &&
         std::any_of(std::begin(kUnchecked), std::end(kUnchecked), same_base);
}
// The pair that a rule of the README is about: a queue with graphics, and one without.
bool is_of_queues(const Variant& variant) {
  return variant.base == std::string_view("copy_f32") && variant.memory == Memory::kOwn &&
         (is(variant, "none") || is(variant, "vulkan_graphics_queue"));
}
// At its largest already.
bool is_resident(const Variant& variant) { return variant.base == std::string_view("gather_u32"); }

std::vector<bench::Case> cases(const Plan& plan) {
  const Full full = full_of(plan);
  std::vector<bench::Case> list;
  const auto add = [&](const Variant& variant, std::uint32_t block, std::uint64_t floats) {
    if (plan.quick && block != kQuickBlock && !(block == kQueueBlock && is_of_queues(variant))) return;
    bench::Case one = make_case(variant, block, floats, full);
    one.vulkan = vulkan_of(variant);
    for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
      one.cache = cache;
      list.push_back(one);
    }
  };
  const std::uint64_t largest = plan.largest(kLargestLog2, sizeof(float));
  std::uint64_t resident = 32;  // three arrays in half the L2: 12 bytes a float
  while (resident * 2 * 12 <= plan.l2_bytes / 2) resident *= 2;
  // At the largest size, and in the L2.
  const auto add_both = [&](const Variant& variant) {
    for (const std::uint32_t block : variant.blocks) add(variant, block, largest);
    const std::uint32_t block = std::min(variant.blocks.back(), kQuickBlock);  // what every kernel of the square has
    if (resident < largest && plan.sizes.empty() && !plan.quick && !is_resident(variant)) add(variant, block, resident);
  };
  for (const Variant& variant : kVariants) {
    if (is_of_square(variant) || variant.base == std::string_view("chase")) {
      add_both(variant);
    } else {
      for (const std::uint32_t block : variant.blocks) add(variant, block, largest);
    }
  }
  const auto is_copy = [](const bench::Case& one) { return one.sides.front().variant == "copy_f32"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.begin(), list.end(), is_copy))) list.push_back(aa);
  for (const Variant& variant : kOtherDevices) {
    for (const std::uint32_t block : variant.blocks) add(variant, block, largest);
  }
  for (const Variant& variant : kUnchecked) add_both(variant);
  if (plan.quick) return list;  // what follows looks for causes
  for (const Variant& variant : kUncheckedCode) add_both(variant);
  for (const Variant& variant : kForeignCode) add_both(variant);
  for (const Variant& variant : kForeignPages) add(variant, variant.blocks.front(), largest);
  for (const Variant& variant : kSharedMemory) add(variant, variant.blocks.front(), largest);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp04_bda",
      .question = "Do buffer device addresses make a Vulkan kernel a CUDA kernel, and what causes the differences that remain?",
      .params = {Column::integer("block", "threads", "of a block"),
                 Column::text("feature", "what the case changes on either side"),
                 Column::text("memory",
                              "whose pages the data are in: own, from_cuda or from_vulkan; vulkan_sparse and vulkan_scattered: "
                              "each API's own, Vulkan's bound by its queue, at once or in scattered blocks"),
                 bench::checks_column(),
                 Column::integer("shared_bytes", "bytes", "of shared memory that a block of shared_u32 fills").optional()},
      .model = {},
      .measured = {},
      .variants = {{"add_f32", "c = a + b, one float per thread: 12 bytes per float"},
                   {"add_f32x4", "c = a + b, 16-byte accesses: 12 bytes per float"},
                   {"chase", "32 lanes follow 4096 addresses (descriptors: indices) through a table, one after another"},
                   {"copy_f32", "b = a, one float per thread, with each `feature`: 8 bytes per float"},
                   {"copy_f32x4", "b = a, behind addresses of alignment 16 and 4: 8 bytes per float"},
                   {"empty", "an empty kernel of as many blocks as copy_f32: what starting and ending them costs"},
                   {"load_f32", "copy_f32 without its store: 4 bytes per float"},
                   {"store_u32", "copy_f32 without its load: 4 bytes per float"},
                   {"loop_f32",
                    "copy_f32 as a grid-stride loop of about as many blocks as the GPU holds at once: 8 bytes per float"},
                   {"write_u32x4", "16-byte stores of words that nothing can compress, with each `feature`: 4 bytes per float"},
                   {"write_ramp", "write_u32x4 with words in arithmetic progression"},
                   {"write_zero", "write_u32x4 with zeros"},
                   {"gather_u32", "4 MiB read 128 bytes apart by neighbouring threads, each word once: 8 bytes per float"},
                   {"shared_u32", "a block fills `shared_bytes` of shared memory and stores them: 4 bytes per float"},
                   {"spin_u32", "one warp takes 65536 dependent steps of integer arithmetic: the SM's clock"},
                   {"inner_struct",
                    "both fields of an 8-byte struct, changed and stored, with each `feature`: 8 bytes per float"},
                   {"aa_control_a", "A/A control: copy_f32, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
