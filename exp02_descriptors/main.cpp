// What does it cost, on the GPU and on the host, to hand a buffer to a kernel in each of the ways that Vulkan has?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "backends.h"
#include "chain.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp02_kernels.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::BufferBinding;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Robustness;
using bench::SetUse;
using bench::Subject;
using bench::SubmitMode;
using bench::Workbench;

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kWarp = 32;         // all that `idle` runs
constexpr std::uint32_t kLargestLog2 = 26;  // 2^26 floats * 4 B = 256 MiB a buffer, 17 buffers: 4.25 GiB
constexpr std::uint32_t kBuffers = 17;
constexpr std::uint32_t kChainWords = 4096;  // of a buffer of a chain, or of a slice: 16 blocks
constexpr std::uint32_t kPushed = 3;         // that idle_pushed is told to add

struct BindingMethod {
  BufferBinding binding;
  SetUse set_use = SetUse::kBoundOnce;
};

// Ways to hand buffers over: what a program does when every dispatch has others; and, to compare with, a set bound once.
const BindingMethod kPerDispatch[] = {{BufferBinding::kDescriptors, SetUse::kBoundOnce},
                                      {BufferBinding::kDescriptors, SetUse::kBoundPerDispatch},
                                      {BufferBinding::kDescriptors, SetUse::kUpdatedPerDispatch},
                                      {BufferBinding::kPushDescriptors, SetUse::kBoundPerDispatch},
                                      {BufferBinding::kDescriptorBuffer, SetUse::kBoundPerDispatch},
                                      {BufferBinding::kBindless, SetUse::kBoundPerDispatch},
                                      {BufferBinding::kAddress, SetUse::kBoundPerDispatch}};

// One case: `sum` reads `inputs` buffers and writes one, `idle` has as many and touches none but the one that it writes.
struct Test {
  const char* variant;
  std::uint32_t inputs;
  std::uint64_t floats;
  BindingMethod method;
  std::uint32_t dispatches = 0;  // in one submission; 0: one launch a sample is long enough, or the sampler repeats it
  Robustness robustness = Robustness::kDefault;

  bool is_pushed() const { return std::string_view(variant) == "idle_pushed"; }
  bool idle() const { return is_pushed() || std::string_view(variant) == "idle"; }
};

// The GLSL file that declares buffers as the binding wants them; push descriptors and descriptor buffers look like sets to a
// kernel.
std::string glsl_stem(const Test& test) {
  std::string base = test.idle() ? test.variant : fmt::format("sum_{}", test.inputs);
  switch (test.method.binding) {
    case BufferBinding::kUniform:
    case BufferBinding::kBindless:
    case BufferBinding::kAddress:
      return fmt::format("{}_{}", base, to_string(test.method.binding));
    default:
      return base;
  }
}

// CPU reference: the inputs' sum, in the order of the inputs.
float expect_sum(const Workbench& bench, std::uint32_t inputs, std::uint64_t i) {
  float sum = bench.input_value(0, i);
  for (std::uint32_t k = 1; k < inputs; ++k) sum += bench.input_value(k, i);
  return sum;
}

// All dispatches of a submission store the same words, so a missing one would not be seen. A kernel that counts, handed over in
// the same way and as often, shows that none is.
void count_dispatches(Workbench& bench, const Test& test) {
  const bool uniform = test.method.binding == BufferBinding::kUniform;
  const std::string entry = fmt::format("count_{}", test.inputs);
  const bool has_own = test.method.binding == BufferBinding::kAddress || test.method.binding == BufferBinding::kBindless;
  const std::string glsl = uniform   ? entry + "_uniform"
                           : has_own ? fmt::format("count_{}", to_string(test.method.binding))
                                     : "count";
  Launch launch;
  launch.kernel = &bench.kernel({.entry = entry,
                                 .block_x = kWarp,
                                 .buffers = test.inputs + 1,
                                 .params_bytes = 0,
                                 .cuda = {.own = {.from = bench::kernels::exp02(), .stem = "count"}},
                                 .vulkan = {.own = {.from = bench::kernels::exp02(), .stem = glsl},
                                            .binding = test.method.binding,
                                            .robustness = test.robustness,
                                            .set_use = test.method.set_use,
                                            .takes_less = true}});
  for (std::uint32_t k = 0; k < test.inputs; ++k) launch.buffers.push_back(&bench.input(k, EXP02_SMALL_FLOATS));
  Buffer& counts = bench.output("counts", kWarp);
  bench.device().fill(counts, 0, kWarp * sizeof(std::uint32_t), 0);
  const bool last = launch.kernel->spec().vulkan.binding == BufferBinding::kUniform;  // which is another API's nothing
  launch.buffers.insert(last ? launch.buffers.end() : launch.buffers.begin(), &counts);
  bench.device().prepare(launch, {})->time_host(test.dispatches);
  bench::verify<std::uint32_t>(bench.device(), counts, kWarp, bench::kGuardWords,
                               [&](std::uint64_t) { return test.dispatches; });
}

// The same six steps for both APIs: kernel, inputs, poisoned output, one submission, verification, the subject to be timed.
std::unique_ptr<Subject> set_up(Workbench& bench, const Test& test) {
  const std::string name = test.idle() ? test.variant : "sum";
  Launch launch;
  launch.kernel = &bench.kernel({.entry = fmt::format("{}_{}", name, test.inputs),
                                 .block_x = test.idle() ? kWarp : kBlock,
                                 .buffers = test.inputs + 1,
                                 .params_bytes = static_cast<std::uint32_t>(test.is_pushed() ? sizeof(PushedParams)
                                                                            : test.idle()    ? 0
                                                                                             : sizeof(SumParams)),
                                 .cuda = {.own = {.from = bench::kernels::exp02(), .stem = name}},
                                 .vulkan = {.own = {.from = bench::kernels::exp02(), .stem = glsl_stem(test)},
                                            .binding = test.method.binding,
                                            .robustness = test.robustness,
                                            .set_use = test.method.set_use,
                                            .takes_less = test.idle()}});
  for (std::uint32_t k = 0; k < test.inputs; ++k) {
    launch.buffers.push_back(&bench.input(k, std::max<std::uint64_t>(test.floats, EXP02_SMALL_FLOATS)));
  }
  Buffer& output = bench.output("output", test.floats);
  if (test.idle()) {
    launch.buffers.insert(launch.buffers.begin(), &output);
    if (test.is_pushed()) launch.params = bench::params_bytes(PushedParams{kPushed});
  } else {
    launch.buffers.push_back(&output);
    launch.grid = {static_cast<std::uint32_t>((test.floats + kBlock - 1) / kBlock), 1, 1};
    launch.params = bench::params_bytes(SumParams{static_cast<std::uint32_t>(test.floats)});
  }

  if (test.dispatches > 1) count_dispatches(bench, test);
  auto subject = bench.device().prepare(launch, {});
  subject->time_host(std::max(1U, test.dispatches));  // the very submission that will be timed: are its sets right, too?
  if (test.idle()) {
    const std::uint32_t more = test.is_pushed() ? kPushed : 0;
    bench::verify<std::uint32_t>(bench, fmt::format("indices + {}", more), output, test.floats, bench::kGuardWords,
                                 [=](std::uint64_t i) { return static_cast<std::uint32_t>(i) + more; });
  } else {
    bench::verify<float>(bench, fmt::format("sum of {} inputs", test.inputs), output, test.floats, bench::kGuardWords,
                         [&](std::uint64_t i) { return expect_sum(bench, test.inputs, i); });
  }
  bench.makes_outputs_anew();
  return subject;
}

bench::Case make_case(const Test& test, bench::Cache cache = bench::Cache::kWarm) {
  // CUDA's rows bear their partner's parameters: its kernel arguments are measured anew beside each of them.
  bench::Case result = bench::twin(test.variant,
                                   {{"block", test.idle() ? kWarp : kBlock},
                                    {"buffers", test.inputs},
                                    {"binding", to_string(test.method.binding)},
                                    {"set_use", to_string(test.method.set_use)},
                                    {"dispatches", bench::unless_zero(test.dispatches)},
                                    {"robustness", to_string(test.robustness)}},
                                   [test](Workbench& bench) { return set_up(bench, test); });
  result.elements = test.floats;
  result.useful_bytes = test.idle() ? 0 : test.floats * sizeof(float) * (test.inputs + 1);
  result.footprint_bytes = result.useful_bytes;
  result.cache = cache;
  result.fixed_batch = test.dispatches;
  result.vulkan.pipeline_robustness = true;
  result.host_samples = test.dispatches == 0 ? 10 : 50;
  return result;
}

// A subject of several launches, told as one of each: its times and its batches are per launch. Batches are multiples.
class EachOfSeveral final : public Subject {
 public:
  EachOfSeveral(std::unique_ptr<Subject> all, std::uint32_t launches) : all_(std::move(all)), launches_(launches) {}

  const bench::Kernel* kernel() const override { return all_->kernel(); }
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override {
    bench::DeviceSampleSpec turns = spec;
    turns.batch = turns_of(spec.batch);
    return all_->time_device(turns);
  }
  bench::HostTimes time_host(std::uint32_t batch) override { return all_->time_host(turns_of(batch)); }

 private:
  // A launch by itself is what --profile and --counters ask for.
  std::uint32_t turns_of(std::uint32_t batch) const {
    if (batch % launches_ != 0) throw bench::Skip(fmt::format("its dispatches run {} at a time", launches_));
    return batch / launches_;
  }

  std::unique_ptr<Subject> all_;
  std::uint32_t launches_;
};

// Dispatches that each need the one before: `chain` and `chain_pushed` swap two buffers, `chain_slices` never has a slice
// twice.
struct ChainTest {
  const char* variant;
  BufferBinding binding;
  std::uint32_t dispatches;  // an even number
  SubmitMode mode;
  bool is_programmatic = false;  // CUDA's launches; Vulkan has none such

  bool is_pushed() const { return std::string_view(variant) == "chain_pushed"; }
  bool has_slices() const { return std::string_view(variant) == "chain_slices"; }
  // What dispatch i adds.
  std::uint32_t adds(std::uint32_t i) const { return is_pushed() ? 1 + i % 2 : 1; }
  std::uint32_t added_by(std::uint32_t launches) const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < launches; ++i) sum += adds(i);
    return sum;
  }
};

const bench::Kernel& load_step(Workbench& bench, const ChainTest& test) {
  const bool has_own = test.binding == BufferBinding::kAddress || test.binding == BufferBinding::kBindless;
  const std::string name = test.is_pushed() ? "step_pushed" : test.is_programmatic ? "step_programmatic" : "step";
  const std::string glsl = has_own ? fmt::format("{}_{}", name, to_string(test.binding)) : name;
  return bench.kernel({.entry = name,
                       .block_x = kBlock,
                       .buffers = 2,
                       .params_bytes = static_cast<std::uint32_t>(test.is_pushed() ? sizeof(PushedParams) : 0),
                       .cuda = {.own = {.from = bench::kernels::exp02(), .stem = name}},
                       .vulkan = {.own = {.from = bench::kernels::exp02(), .stem = glsl}, .binding = test.binding}});
}

// Each dispatch reads what the one before wrote. It writes the buffer that that one read, or the next slice: one that is left
// out, runs too early or gets the wrong buffers shows in the last words.
std::unique_ptr<Subject> set_up_chain(Workbench& bench, const ChainTest& test) {
  constexpr std::uint64_t kBytes = kChainWords * sizeof(std::uint32_t);
  Chain chain{.kernel = &load_step(bench, test), .blocks = kChainWords / kBlock, .is_programmatic = test.is_programmatic};
  const std::uint32_t rows = test.has_slices() ? test.dispatches + 1 : 1;
  Buffer& even = bench.output("even", std::uint64_t{rows} * kChainWords);
  Buffer* const odd = test.has_slices() ? nullptr : &bench.output("odd", kChainWords);
  // Turns of two steps may be repeated. Other slices for each dispatch, and a first launch unlike the others, take all steps.
  chain.has_lead_in = !test.has_slices() && !test.is_programmatic;
  for (std::uint32_t i = 0; i < (chain.has_lead_in ? 2 : test.dispatches); ++i) {
    ChainStep step{.in = {&even, i * kBytes, kBytes}, .out = {&even, (i + 1) * kBytes, kBytes}};
    if (!test.has_slices()) step = {.in = {&even, 0, kBytes}, .out = {odd, 0, kBytes}};
    if (!test.has_slices() && i % 2 == 1) std::swap(step.in, step.out);
    if (test.is_pushed()) step.params = bench::params_bytes(PushedParams{test.adds(i)});
    chain.steps.push_back(std::move(step));
  }
  const bench::PerApi<decltype(&cuda_chain)> sides = {{bench::cuda::kApi, cuda_chain}, {bench::vulkan::kApi, vulkan_chain}};
  auto subject =
      std::make_unique<EachOfSeveral>(sides.at(bench.device().info().api, "a chain")(bench.device(), chain, test.mode),
                                      static_cast<std::uint32_t>(chain.steps.size()));

  const auto restore = [&bench, &even] {
    std::vector<std::uint32_t> words(kChainWords);
    std::iota(words.begin(), words.end(), 0U);
    bench.device().upload(even, 0, std::as_bytes(std::span(words)));
  };
  restore();
  subject->time_host(test.dispatches);  // the very submission that will be timed
  const auto verify = [&](const Buffer& buffer, std::uint32_t launches) {
    const std::uint32_t sum = test.added_by(launches);
    bench::verify<std::uint32_t>(bench, fmt::format("index + {}", sum), buffer, kChainWords, bench::kGuardWords,
                                 [=](std::uint64_t i) { return static_cast<std::uint32_t>(i) + sum; });
  };
  if (test.has_slices()) {
    bench::verify<std::uint32_t>(bench, "index in the slice + slice", even, std::uint64_t{rows} * kChainWords,
                                 bench::kGuardWords,
                                 [](std::uint64_t i) { return static_cast<std::uint32_t>(i % kChainWords + i / kChainWords); });
  } else {
    verify(even, test.dispatches);
    verify(*odd, test.dispatches - 1);
  }
  bench.makes_outputs_anew(restore, {}, test.dispatches);
  return subject;
}

bench::Case chain_case(const ChainTest& test) {
  // CUDA's launches alone have no binding to be beside.
  const bool has_binding = !test.is_programmatic;
  bench::Case result = bench::twin(test.variant,
                                   {{"block", kBlock},
                                    {"buffers", 1},
                                    {"binding", has_binding ? to_string(test.binding) : "arguments"},
                                    {"set_use", to_string(SetUse::kBoundPerDispatch)},
                                    {"dispatches", test.dispatches},
                                    {"robustness", to_string(Robustness::kDefault)}},
                                   [=](Workbench& bench) { return set_up_chain(bench, test); });
  if (test.is_programmatic) {
    result.apis = {{bench::cuda::kApi}};
    result.sides.front().params.set("mode", test.mode == SubmitMode::kReplay ? "graph_programmatic" : "programmatic");
  } else {
    result.sides.front().worded = [mode = test.mode](const bench::Api& api) {
      return bench::Values{{"mode", word_of(mode, api)}};
    };
  }
  result.elements = kChainWords;
  result.fixed_batch = test.dispatches;
  result.vulkan.pipeline_robustness = true;
  result.host_samples = 50;
  return result;
}

// What tells why a chain takes as long as it does: CUDA's quickest launches, other buffers for every dispatch, and push
// constants where the binding itself takes none.
void add_to_chains(std::vector<bench::Case>& list) {
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    for (const std::uint32_t dispatches : {100U, 1000U}) {
      list.push_back(chain_case({"chain", BufferBinding::kDescriptors, dispatches, mode, true}));
    }
    for (const BindingMethod& method : kPerDispatch) {
      if (method.set_use == SetUse::kBoundPerDispatch) list.push_back(chain_case({"chain_slices", method.binding, 1000, mode}));
    }
    list.push_back(chain_case({"chain_slices", BufferBinding::kDynamicOffsets, 1000, mode}));
    list.push_back(chain_case({"chain_slices", BufferBinding::kDescriptors, 1000, mode, true}));
    for (const BufferBinding binding : {BufferBinding::kDescriptors, BufferBinding::kDescriptorBuffer}) {
      list.push_back(chain_case({"chain_pushed", binding, 1000, mode}));
    }
  }
  for (const BufferBinding binding : {BufferBinding::kDescriptors, BufferBinding::kDescriptorBuffer}) {
    list.push_back(make_case({"idle_pushed", 16, kWarp, {binding, SetUse::kBoundPerDispatch}, 1000}));
  }
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  const auto add_sum = [&](std::uint32_t inputs, std::uint64_t floats, BindingMethod method,
                           Robustness robustness = Robustness::kDefault) {
    for (const bench::Cache cache : plan.caches_for(floats * sizeof(float) * (inputs + 1))) {
      list.push_back(make_case({"sum", inputs, floats, method, 0, robustness}, cache));
    }
  };

  // Bandwidth-bound: what the kernel's own way to its buffers costs.
  const std::uint64_t largest = plan.largest(kLargestLog2, sizeof(float), kBuffers);
  for (const std::uint32_t inputs : {1U, 2U, 4U, 8U, 16U}) {
    const bool ends = inputs == 2 || inputs == 16;
    if (plan.quick && !ends) continue;
    add_sum(inputs, largest, {BufferBinding::kDescriptors});
    add_sum(inputs, largest, {BufferBinding::kAddress});
    for (const BufferBinding binding :
         {BufferBinding::kPushDescriptors, BufferBinding::kDescriptorBuffer, BufferBinding::kBindless}) {
      if (ends && !(plan.quick && inputs == 16)) add_sum(inputs, largest, {binding});
    }
  }

  // Bounds checks, at that size and in the L2: half of it holds the three arrays.
  std::uint64_t resident = 32;
  while (resident * 2 * 3 * sizeof(float) <= plan.l2_bytes / 2) resident *= 2;
  for (const Robustness robustness :
       {Robustness::kDefault, Robustness::kDisabled, Robustness::kRobustBufferAccess, Robustness::kRobustness2}) {
    if (robustness != Robustness::kDefault) add_sum(2, largest, {BufferBinding::kDescriptors}, robustness);
    if (resident < largest) add_sum(2, resident, {BufferBinding::kDescriptors}, robustness);
  }

  // Many dispatches of little work: what binding costs by itself, and beside 32 KiB a buffer.
  for (const BindingMethod& method : kPerDispatch) {
    for (const std::uint32_t dispatches : {1U, 10U, 100U, 1000U}) {
      if (!plan.quick || dispatches == 100) list.push_back(make_case({"idle", 16, kWarp, method, dispatches}));
    }
    for (const std::uint32_t buffers : {1U, 4U}) {
      if (!plan.quick) list.push_back(make_case({"idle", buffers, kWarp, method, 100}));
    }
  }
  for (const std::uint32_t inputs : {2U, 16U}) {
    if (plan.quick && inputs == 16) continue;
    for (const BindingMethod& method : kPerDispatch)
      list.push_back(make_case({"sum_small", inputs, EXP02_SMALL_FLOATS, method, 100}));
    list.push_back(make_case({"sum_small", inputs, EXP02_SMALL_FLOATS, {BufferBinding::kUniform}, 100}));
  }

  // The same where each dispatch needs the one before and other buffers.
  for (const SubmitMode mode : {SubmitMode::kEach, SubmitMode::kReplay}) {
    for (const BindingMethod& method : kPerDispatch) {
      if (method.set_use != SetUse::kBoundPerDispatch) continue;
      list.push_back(chain_case({"chain", method.binding, 100, mode}));
      if (!plan.quick) list.push_back(chain_case({"chain", method.binding, 1000, mode}));
    }
  }
  if (!plan.quick) add_to_chains(list);

  const bench::Cache cache = plan.caches_for(largest * 3 * sizeof(float)).front();
  for (const bench::Case& control : bench::aa_controls(make_case({"sum", 2, largest, {BufferBinding::kDescriptors}}, cache))) {
    list.push_back(control);
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp02_descriptors",
      .question =
          "What does it cost, on the GPU and on the host, to hand a buffer to a kernel in each of the ways that Vulkan has?",
      .params = {Column::integer("block", "threads", "of a block"),
                 Column::integer("buffers", "", "inputs that are passed, beside the output"),
                 Column::text("binding", "how Vulkan's kernel gets at its buffers; arguments: CUDA's alone"),
                 Column::text("set_use", "what is done with that for every dispatch"),
                 Column::integer("dispatches", "", "of a submission, where it is not for the sampler to say").optional(),
                 Column::text("robustness", "which bounds checks Vulkan's pipeline asks for"),
                 Column::text(
                     "mode",
                     "of a chain: submitted anew (stream, rerecorded) or only replayed (graph, prerecorded); programmatic, "
                     "graph_programmatic: launches that begin early")
                     .optional()},
      .model = {},
      .variants =
          {{"sum",
            "out = the sum of `buffers` inputs, one float per thread: 4 bytes per float and buffer, one buffer more written"},
           {"sum_small", "the same over 32 KiB a buffer, `dispatches` a submission; times are per dispatch"},
           {"idle", "one warp writes a line; `buffers` more are passed and not read; times are per dispatch"},
           {"chain",
            "out = in + 1, the buffers swapped for every dispatch, which needs the one before; times are per dispatch"},
           {"chain_pushed", "the same, but each dispatch is also told by a push constant or an argument what to add"},
           {"chain_slices", "out = in + 1, from each slice of a buffer to the next one: no dispatch has another's two slices"},
           {"idle_pushed", "idle, but what it stores has a push constant or an argument in it"},
           {"aa_control_a", "A/A control: sum of 2 inputs through descriptors, paired with aa_control_b, which is the same"},
           {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
