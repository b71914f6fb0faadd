// What does it take to make a kernel, memory and descriptors, and what is a specialization constant worth?
#include <fmt/format.h>

#include <bit>
#include <deque>

#include "../host.h"
#include "backends.h"
#include "child.h"
#include "core/code/machine_code.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "factory.h"
#include "memory.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::HostTimes;
using bench::Launch;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kBlocks = 4;  // of a made kernel, to see that it is right
// That a child process makes: what a pair's fewest samples take of each side, one before them and two for each. A child that
// fills the cache compiles them all.
constexpr std::size_t kChildKernels = 13;
constexpr std::uint32_t kTurnsBlock = 256;
constexpr std::uint32_t kTurnsLog2 = 24;  // 2^24 words * 4 B = 64 MiB a buffer

struct MakingMethod {
  const char* how;
  From from;
  bool fresh;  // a mark that no cache has seen
  bool cuda_alone;
};
const MakingMethod kMethods[] = {{"compiler", From::kCompiler, true, false},
                                 {"own_cache", From::kOwnCache, false, false},
                                 {"nvrtc", From::kNvrtc, true, true}};
const char* const kStems[] = {"made_small", "made_large"};

// Runs what was made last.
void check_made(Workbench& bench, const std::string& stem, std::uint32_t mark) {
  constexpr std::uint32_t kWords = kBlocks * EXP08_MADE_BLOCK;
  Buffer& words = bench.output("made", kWords);
  factory(bench).run(words, kBlocks);
  bench::verify<std::uint32_t>(bench.device(), words, kWords, bench::kGuardWords,
                               [&](std::uint64_t i) { return made_word(stem, mark, static_cast<std::uint32_t>(i)); });
}

Prepared set_up_made(Workbench& bench, const MakingMethod& way, const std::string& stem) {
  const auto mark = std::make_shared<std::uint32_t>();  // of the kernel made last
  const auto make = [&bench, way, stem, mark] {
    *mark = way.fresh ? fresh_mark() : EXP08_MARK;
    const double ns = factory(bench).make(way.from, stem, *mark);
    return HostTimes{ns, ns};
  };
  const auto check = [&bench, stem, mark] { check_made(bench, stem, *mark); };
  make();
  check();
  bench.compared();
  bench.makes_outputs_anew({}, check);
  return {std::make_unique<HostTimed>(make), host_values};
}

// The readings of child processes, one after the other. The first child fills the drivers' caches with its kernels; those after
// it find them there.
class Children {
 public:
  Children(bench::DeviceInfo device, std::string stem) : device_(std::move(device)), stem_(std::move(stem)) {
    for (std::size_t i = 0; i < kChildKernels; ++i) marks_.push_back(fresh_mark());
    made_in_child(device_, folder_.path(), stem_, marks_);
  }
  HostTimes next() {
    if (left_.empty()) {
      const std::vector<double> found = made_in_child(device_, folder_.path(), stem_, marks_);
      left_.assign(found.begin(), found.end());
    }
    const double ns = left_.front();
    left_.pop_front();
    return {ns, ns};
  }

 private:
  bench::DeviceInfo device_;
  std::string stem_;
  CacheFolder folder_;
  std::vector<std::uint32_t> marks_;
  std::deque<double> left_;
};

Prepared set_up_children(Workbench& bench, const std::string& stem) {
  const std::uint32_t mark = fresh_mark();
  factory(bench).make(From::kCompiler, stem, mark);
  check_made(bench, stem, mark);
  bench.compared();
  const auto children = std::make_shared<Children>(bench.device().info(), stem);
  return {std::make_unique<HostTimed>([children] { return children->next(); }), host_values};
}

bench::Case made_case(const char* how, const std::string& stem, bool cuda_alone,
                      const std::function<Prepared(Workbench&)>& set_up) {
  bench::Case made = bench::twin(stem, {{"how", how}}, set_up);
  made.elements = stem == "made_large" ? EXP08_LARGE_STEPS : EXP08_SMALL_STEPS;
  made.fixed_batch = 1;
  made.budget_part = 0.5;
  if (cuda_alone) made.apis = {{bench::cuda::kApi}};
  return made;
}

// How a kernel is told how many turns it takes.
const char* const kTold[] = {"macro", "constant", "push"};

std::string code_hash(const bench::Kernel& kernel) { return bench::isa_hash(kernel.code().code); }

Prepared set_up_turns(Workbench& bench, const std::string& told, std::uint64_t words) {
  const auto kernel = [&](const std::string& how) -> const bench::Kernel& {
    const std::string name = "turns_" + how;
    return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), name),
                         .entry = name,
                         .block_x = kTurnsBlock,
                         .constants = {EXP08_TURNS},
                         .buffers = 2,
                         .params_bytes = sizeof(TurnsParams)});
  };
  Buffer& output = bench.output("output", words);
  Launch launch;
  launch.kernel = &kernel(told);
  launch.buffers = {&bench.input(0, words), &output};
  launch.params = bench::params_bytes(TurnsParams{static_cast<std::uint32_t>(words), EXP08_TURNS});
  launch.grid = {static_cast<std::uint32_t>((words + kTurnsBlock - 1) / kTurnsBlock), 1, 1};
  bench.device().run(launch);
  bench::verify<std::uint32_t>(bench, "input 0 turned", output, words, bench::kGuardWords, [&](std::uint64_t i) {
    auto x = std::bit_cast<std::uint32_t>(bench.input_value(0, i));
    for (std::uint32_t k = 0; k < EXP08_TURNS; ++k) x = made_step(x, k);
    return x;
  });
  bench.makes_outputs_anew();
  const std::string own = code_hash(*launch.kernel);
  const std::string by_macro = code_hash(kernel("macro"));
  const std::size_t code_bytes = launch.kernel->code().code.size();
  return {bench.device().prepare(launch, {}), [own, by_macro, code_bytes] {
            if (own.empty() || by_macro.empty()) return bench::Values{};  // no code is given out
            return bench::Values{{"same_code", own == by_macro ? 1.0 : 0.0}, {"code_bytes", code_bytes}};
          }};
}

bench::Case turns_case(const Plan& plan, const std::string& told, std::uint64_t words) {
  bench::Case made = bench::twin("turns", {{"how", told}}, [=](Workbench& bench) { return set_up_turns(bench, told, words); });
  made.elements = words;
  made.useful_bytes = made.footprint_bytes = words * 2 * sizeof(std::uint32_t);
  made.cache = plan.caches_for(made.footprint_bytes).front();
  made.host_samples = 2;
  return made;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const std::string stem : kStems) {
    for (const MakingMethod& way : kMethods) {
      if (plan.quick && way.fresh && stem == "made_large") continue;  // seconds a kernel
      list.push_back(made_case(way.how, stem, way.cuda_alone, [=](Workbench& bench) { return set_up_made(bench, way, stem); }));
    }
  }
  if (!plan.quick) {  // processes of their own
    list.push_back(
        made_case("driver_cache", "made_large", false, [](Workbench& bench) { return set_up_children(bench, "made_large"); }));
  }
  const std::uint64_t words = plan.largest(kTurnsLog2, sizeof(std::uint32_t));
  for (const std::string told : kTold) list.push_back(turns_case(plan, told, words));
  for (const bench::Case& one : memory_cases(plan)) list.push_back(one);
  for (const bench::Case& one : bench::aa_controls(turns_case(plan, "macro", words))) list.push_back(one);
  return list;
}

std::vector<Column> measured_columns() {
  std::vector<Column> columns = {
      Column::real("same_code", "", "1: the machine code is that of the kernel with the macro; 0: other code").optional(),
      Column::integer("code_bytes", "bytes", "of machine code").optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  if (was_child(argc, argv)) return 0;
  turn_caches_off();
  const bench::Experiment experiment = {
      .name = "exp08_making",
      .question = "What does it take to make a kernel, memory and descriptors, and what is a specialization constant worth?",
      .params = {Column::text("how", "it is made, allocated or told").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"made_small",
                    "a kernel of few steps made ready for a launch: by the driver's compiler, from a cache, by NVRTC"},
                   {"made_large", "the same of a kernel of 1024 steps"},
                   {"turns",
                    "24 dependent steps a word, their number told by a macro, a constant or the launch: 8 bytes a word"},
                   {"allocate", "memory of `elements` words on the GPU, and its release; to submit: the allocation alone"},
                   {"descriptor_sets", "1000 sets of four storage buffers: their pool, their allocation, their writes"},
                   {"aa_control_a", "A/A control: turns by macro, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
