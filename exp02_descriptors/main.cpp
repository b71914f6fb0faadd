// What does it cost, on the GPU and on the host, to hand a buffer to a kernel in each of the ways that Vulkan has?
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp02_kernels.h"
#include "params.h"
#include "vulkan_chain.h"

namespace {

using bench::Buffer;
using bench::BufferBinding;
using bench::Column;
using bench::Launch;
using bench::Passes;
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
constexpr std::uint32_t kChainWords = 4096;  // of each of a chain's two buffers: 16 blocks

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

  bool idle() const { return std::string_view(variant) == "idle"; }
};

// The GLSL file that declares buffers as the binding wants them; push descriptors and descriptor buffers look like sets to a
// kernel.
std::string glsl_stem(const Test& test) {
  std::string base = test.idle() ? "idle" : fmt::format("sum_{}", test.inputs);
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
  const std::string name = test.idle() ? "idle" : "sum";
  Launch launch;
  launch.kernel = &bench.kernel({.entry = fmt::format("{}_{}", name, test.inputs),
                                 .block_x = test.idle() ? kWarp : kBlock,
                                 .buffers = test.inputs + 1,
                                 .params_bytes = test.idle() ? 0U : static_cast<std::uint32_t>(sizeof(SumParams)),
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
  } else {
    launch.buffers.push_back(&output);
    launch.grid = {static_cast<std::uint32_t>((test.floats + kBlock - 1) / kBlock), 1, 1};
    launch.params = bench::params_bytes(SumParams{static_cast<std::uint32_t>(test.floats)});
  }

  if (test.dispatches > 1) count_dispatches(bench, test);
  auto subject = bench.device().prepare(launch, {});
  subject->time_host(std::max(1U, test.dispatches));  // the very submission that will be timed: are its sets right, too?
  if (test.idle()) {
    bench::verify<std::uint32_t>(bench, "indices", output, test.floats, bench::kGuardWords,
                                 [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
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

// A subject of two launches, told as one of each: its times and its batches are per launch. Batches are even.
class EachOfTwo final : public Subject {
 public:
  explicit EachOfTwo(std::unique_ptr<Subject> both) : both_(std::move(both)) {}

  const bench::Kernel* kernel() const override { return both_->kernel(); }
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override {
    bench::DeviceSampleSpec turns = spec;
    turns.batch /= 2;
    return both_->time_device(turns);
  }
  bench::HostTimes time_host(std::uint32_t batch) override { return both_->time_host(batch / 2); }

 private:
  std::unique_ptr<Subject> both_;
};

// Each dispatch reads what the one before wrote and writes the buffer that it read: one that is left out, runs too early or
// gets the wrong buffers shows in the last words.
std::unique_ptr<Subject> set_up_chain(Workbench& bench, BufferBinding binding, std::uint32_t dispatches, SubmitMode mode) {
  const bool has_own = binding == BufferBinding::kAddress || binding == BufferBinding::kBindless;
  const std::string glsl = has_own ? fmt::format("step_{}", to_string(binding)) : "step";
  Launch there;
  there.kernel = &bench.kernel({.entry = "step",
                                .block_x = kBlock,
                                .buffers = 2,
                                .cuda = {.own = {.from = bench::kernels::exp02(), .stem = "step"}},
                                .vulkan = {.own = {.from = bench::kernels::exp02(), .stem = glsl}, .binding = binding}});
  there.grid = {kChainWords / kBlock, 1, 1};
  Buffer& even = bench.output("even", kChainWords);
  Buffer& odd = bench.output("odd", kChainWords);
  there.buffers = {&even, &odd};
  Launch back = there;
  back.buffers = {&odd, &even};
  const Passes turn = {.launches = {there, back}, .overlaps = {}};
  auto subject = std::make_unique<EachOfTwo>(bench.device().info().api == bench::vulkan::kApi
                                                 ? vulkan_chain(bench.device(), turn, mode)
                                                 : bench.device().prepare(turn, {.mode = mode}));

  const auto restore = [&bench, &even] {
    std::vector<std::uint32_t> words(kChainWords);
    std::iota(words.begin(), words.end(), 0U);
    bench.device().upload(even, 0, std::as_bytes(std::span(words)));
  };
  restore();
  subject->time_host(dispatches);  // the very submission that will be timed
  bench::verify<std::uint32_t>(bench, fmt::format("index + {}", dispatches), even, kChainWords, bench::kGuardWords,
                               [=](std::uint64_t i) { return static_cast<std::uint32_t>(i) + dispatches; });
  bench::verify<std::uint32_t>(bench, fmt::format("index + {}", dispatches - 1), odd, kChainWords, bench::kGuardWords,
                               [=](std::uint64_t i) { return static_cast<std::uint32_t>(i) + dispatches - 1; });
  bench.makes_outputs_anew(restore, {}, dispatches);
  return subject;
}

bench::Case chain_case(BufferBinding binding, std::uint32_t dispatches, SubmitMode mode) {
  bench::Case result = bench::twin("chain",
                                   {{"block", kBlock},
                                    {"buffers", 1},
                                    {"binding", to_string(binding)},
                                    {"set_use", to_string(SetUse::kBoundPerDispatch)},
                                    {"dispatches", dispatches},
                                    {"robustness", to_string(Robustness::kDefault)}},
                                   [=](Workbench& bench) { return set_up_chain(bench, binding, dispatches, mode); });
  result.sides.front().worded = [mode](const bench::Api& api) { return bench::Values{{"mode", word_of(mode, api)}}; };
  result.elements = kChainWords;
  result.fixed_batch = dispatches;
  result.vulkan.pipeline_robustness = true;
  result.host_samples = 50;
  return result;
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
      list.push_back(chain_case(method.binding, 100, mode));
      if (!plan.quick) list.push_back(chain_case(method.binding, 1000, mode));
    }
  }

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
                 Column::text("binding", "how Vulkan's kernel gets at its buffers"),
                 Column::text("set_use", "what is done with that for every dispatch"),
                 Column::integer("dispatches", "", "of a submission, where it is not for the sampler to say").optional(),
                 Column::text("robustness", "which bounds checks Vulkan's pipeline asks for"),
                 Column::text("mode", "of a chain: submitted anew (stream, rerecorded) or only replayed (graph, prerecorded)")
                     .optional()},
      .model = {},
      .variants =
          {{"sum",
            "out = the sum of `buffers` inputs, one float per thread: 4 bytes per float and buffer, one buffer more written"},
           {"sum_small", "the same over 32 KiB a buffer, `dispatches` a submission; times are per dispatch"},
           {"idle", "one warp writes a line; `buffers` more are passed and not read; times are per dispatch"},
           {"chain",
            "out = in + 1, the buffers swapped for every dispatch, which needs the one before; times are per dispatch"},
           {"aa_control_a", "A/A control: sum of 2 inputs through descriptors, paired with aa_control_b, which is the same"},
           {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
