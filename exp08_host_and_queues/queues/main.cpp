// Do kernels in two queues run at once, does a copy run beside one, and what does a queue with graphics cost?
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "params.h"
#include "together.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kBlocks[] = {64, 128, 256, 512, 1024};
constexpr std::uint32_t kQuickBlock = 128;  // short enough for a queue with graphics to show
constexpr std::uint32_t kLargestLog2 = 27;  // 2^27 words * 4 B = 512 MiB a buffer
constexpr std::uint64_t kWantedPlace = 12345;

// What a device's kernels are measured for: which queues it has, and which one runs them.
struct Queues {
  const char* name;
  bench::VulkanChoice choice;
  bool cuda;  // one twin is enough: CUDA knows of no queues
};
const Queues kQueues[] = {{"compute", {}, true},
                          {"compute_beside_graphics", {.graphics_queue = true}, false},
                          {"graphics", {.queue = bench::QueueKind::kGraphics}, false}};

struct Variant {
  const char* name;
  std::uint32_t inputs;
  std::uint32_t outputs;  // that bytes are counted for
  bool has_output;
};
const Variant kVariants[] = {
    {"load_words", 1, 0, true}, {"store_words", 0, 1, true}, {"copy_words", 1, 1, true}, {"empty", 0, 0, false}};

std::uint32_t input_word(const Workbench& bench, std::uint64_t i) {
  return std::bit_cast<std::uint32_t>(bench.input_value(0, i));
}

Prepared set_up(Workbench& bench, const Variant& variant, std::uint32_t block, std::uint64_t words) {
  const std::string_view name = variant.name;
  Launch launch;
  if (variant.inputs != 0) launch.buffers.push_back(&bench.input(0, words));
  Buffer* output = variant.has_output ? &bench.output("output", words) : nullptr;
  if (output != nullptr) launch.buffers.push_back(output);
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), variant.name),
                                 .entry = variant.name,
                                 .block_x = block,
                                 .buffers = static_cast<std::uint32_t>(launch.buffers.size()),
                                 .params_bytes = output != nullptr ? static_cast<std::uint32_t>(sizeof(WordsParams)) : 0});
  launch.grid = {static_cast<std::uint32_t>((words + block - 1) / block), 1, 1};
  const std::uint32_t wanted = input_word(bench, std::min(kWantedPlace, words - 1));
  if (output != nullptr) launch.params = bench::params_bytes(WordsParams{static_cast<std::uint32_t>(words), wanted});
  bench.device().run(launch);
  const auto verify = [&](const std::string& reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, *output, words, bench::kGuardWords, expected);
    bench.makes_outputs_anew();
  };
  if (name == "load_words") {
    verify(fmt::format("where input 0 is its word {}", std::min(kWantedPlace, words - 1)),
           [&](std::uint64_t i) { return input_word(bench, i) == wanted ? 1U : bench::kPoison; });
  } else if (name == "store_words") {
    verify("incompressible words", [](std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); });
  } else if (name == "copy_words") {
    verify("input 0", [&](std::uint64_t i) { return input_word(bench, i); });
  }
  if (output == nullptr) bench.nothing_to_compare();
  return bench.device().prepare(launch, {});
}

bench::Case kernel_case(const Plan& plan, const Queues& queues, const Variant& variant, std::uint32_t block,
                        std::uint64_t words) {
  bench::Case made = bench::twin(variant.name, {{"queues", queues.name}, {"block", block}},
                                 [=](Workbench& bench) { return set_up(bench, variant, block, words); });
  made.vulkan = queues.choice;
  made.elements = words;
  made.useful_bytes = made.footprint_bytes = words * sizeof(std::uint32_t) * (variant.inputs + variant.outputs);
  made.cache = plan.caches_for(made.footprint_bytes).front();
  made.host_samples = 2;
  if (!queues.cuda) made.apis = {{bench::vulkan::kApi}};
  return made;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list = together_cases(plan);
  const std::uint64_t words = plan.largest(kLargestLog2, sizeof(std::uint32_t));
  for (const Queues& queues : kQueues) {
    for (const Variant& variant : kVariants) {
      for (const std::uint32_t block : kBlocks) {
        if (!plan.quick || block == kQuickBlock) list.push_back(kernel_case(plan, queues, variant, block, words));
      }
    }
  }
  for (const bench::Case& one : bench::aa_controls(kernel_case(plan, kQueues[0], kVariants[2], 256, words)))
    list.push_back(one);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_queues",
      .question = "Do kernels in two queues run at once, does a copy run beside one, and what does a queue with graphics cost?",
      .params = {Column::text("beside", "where the second piece of work is handed in").optional(),
                 Column::integer("blocks", "blocks", "of each kernel, 256 threads each").optional(),
                 Column::text("priority", "of the foreground's queue beside the background's: equal or higher").optional(),
                 Column::text("queues", "that the Vulkan device has, and where the kernel runs").optional(),
                 Column::integer("block", "threads", "of a block").optional()},
      .model = {},
      .measured = together_columns(),
      .variants = {{"two_kernels", "two kernels whose blocks stay `elements` nanoseconds, handed in one after the other: both"},
                   {"beside_copy", "such a kernel with a block an SM, and `elements` words from pinned memory: both"},
                   {"foreground", "a kernel of one block, while another's fill the GPU 16 times over: its round trip"},
                   {"load_words", "a 4-byte load a thread and next to no store: 4 bytes a word"},
                   {"store_words", "a 4-byte store a thread: 4 bytes a word"},
                   {"copy_words", "b = a, a word a thread: 8 bytes a word"},
                   {"empty", "nothing, by a thread a word"},
                   {"aa_control_a", "A/A control: copy_words, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
