// What does it cost, on the GPU and on the host, to hand a buffer to a kernel in each of the ways that Vulkan has?
#include <fmt/format.h>

#include <algorithm>

#include "backends.h"
#include "core/experiment/experiment.h"
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
using bench::Workbench;

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kWarp = 32;         // all that `idle` runs
constexpr std::uint32_t kLargestLog2 = 26;  // 2^26 floats * 4 B = 256 MiB a buffer, 17 buffers: 4.25 GiB
constexpr std::uint32_t kBuffers = 17;

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
                 Column::text("robustness", "which bounds checks Vulkan's pipeline asks for")},
      .model = {},
      .variants =
          {{"sum",
            "out = the sum of `buffers` inputs, one float per thread: 4 bytes per float and buffer, one buffer more written"},
           {"sum_small", "the same over 32 KiB a buffer, `dispatches` a submission; times are per dispatch"},
           {"idle", "one warp writes a line; `buffers` more are passed and not read; times are per dispatch"},
           {"aa_control_a", "A/A control: sum of 2 inputs through descriptors, paired with aa_control_b, which is the same"},
           {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
