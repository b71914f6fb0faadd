// What do many small dispatches that need nothing of each other cost, and how many run at once?
#include <algorithm>
#include <vector>

#include "../host.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "decided.h"
#include "sides.h"
#include "trace.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kCounts[] = {1, 10, 100, 1000};
constexpr std::uint32_t kWorkNs = 10'000;
constexpr std::uint32_t kStepNs = 20'000;  // "tens of microseconds"
constexpr std::uint32_t kSteps = 1000;
constexpr std::uint32_t kBranches = 100;
constexpr std::uint32_t kSpread = 1000;  // dispatches, by each way
// How many queues of the device CUDA's streams are spread over, 1 to 32; 8 unless the user says more. Source: CUDA C++
// Programming Guide, "CUDA Environment Variables". 32 takes twice as long on an H100 (DESIGN.md), so the default stays.
constexpr const char* kConnections = "CUDA_DEVICE_MAX_CONNECTIONS";

struct WayText {
  DispatchMethod way;
  const char* name;
  bool of_one;  // also where there is one dispatch alone
};
constexpr WayText kWays[] = {{DispatchMethod::kOrdered, "ordered", true},
                             {DispatchMethod::kOrderedReplayed, "ordered_replayed", true},
                             {DispatchMethod::kIndependent, "independent", true},
                             {DispatchMethod::kIndependentReplayed, "independent_replayed", true},
                             {DispatchMethod::kProgrammatic, "programmatic", false},
                             {DispatchMethod::kProgrammaticReplayed, "programmatic_replayed", false},
                             {DispatchMethod::kBuffers, "buffers", false},
                             {DispatchMethod::kSubmissions, "submissions", false}};

const char* name_of(DispatchMethod way) {
  for (const WayText& one : kWays) {
    if (one.way == way) return one.name;
  }
  switch (way) {
    case DispatchMethod::kKnown:
    case DispatchMethod::kKnownLoop:
      return "known";
    case DispatchMethod::kTaken:
      return "taken";
    case DispatchMethod::kNotTaken:
      return "not_taken";
    case DispatchMethod::kWhile:
      return "while";
    case DispatchMethod::kPredicated:
      return "predicated";
    case DispatchMethod::kTail:
      return "tail";
    case DispatchMethod::kInPlace:
      return "in_place";
    case DispatchMethod::kStreams:
      return "streams";
    case DispatchMethod::kGraph:
      return "graph";
    case DispatchMethod::kLanes:
      return "command_buffers";
    case DispatchMethod::kBatches:
      return "submissions";
    case DispatchMethod::kQueues:
      return "queues";
    case DispatchMethod::kFromDevice:
      return "from_device";
    default:
      return "indirect";
  }
}

// What one API spreads independent dispatches over, and how many of it: the curves that are compared, best with best.
struct Spread {
  DispatchMethod way;
  bench::Api api;
  std::vector<std::uint32_t> lanes;
};
std::vector<Spread> spreads(bool small) {
  using Way = DispatchMethod;
  const auto of = [small](std::initializer_list<std::uint32_t> few, std::initializer_list<std::uint32_t> all) {
    return std::vector<std::uint32_t>(small ? few : all);
  };
  return {{Way::kStreams, bench::cuda::kApi, of({1, 4}, {1, 8, 32, 128})},
          {Way::kGraph, bench::cuda::kApi, of({1, 4, 20}, {1, 8, 32, 128, kSpread})},
          {Way::kLanes, bench::vulkan::kApi, of({1, 4}, {1, 10, 100})},
          {Way::kBatches, bench::vulkan::kApi, of({4}, {10, 100})},
          // Of one queue it is what the fork and the join cost.
          {Way::kQueues, bench::vulkan::kApi, of({1, 2}, {1, 2, 4, 8})}};
}

// By the GPU's own clock, of the last launch of everything.
bench::Values read_trace(bench::Device& device, const Buffer& buffer, const Config& config, double tick_ns) {
  std::vector<std::uint32_t> words(std::size_t{config.dispatches} * config.blocks * EXP08_TRACE_WORDS);
  device.download(buffer, 0, std::as_writable_bytes(std::span(words)));
  const Trace trace = trace_of(words, config.blocks);
  bench::Values values = {{"span_ns", trace.span * tick_ns}};
  // Without work a dispatch may begin and end within one step of the clock.
  if (config.work_ns != 0) values.set("at_once", static_cast<double>(trace.at_once));
  if (trace.sms != 0) values.set("sms", static_cast<double>(trace.sms));
  if (device.info().api == bench::cuda::kApi) {
    const char* set_by_user = std::getenv(kConnections);
    values.set("connections", set_by_user != nullptr ? set_by_user : "default");
  }
  return values;
}

// Six steps, the same for both APIs: kernel, no input, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, const Config& config) {
  const double tick_ns = bench.device().info().realtime_tick_ns;
  if (tick_ns <= 0) throw bench::Skip("a clock that kernels read wanted (VK_KHR_shader_clock), none found");
  const std::uint64_t blocks = std::uint64_t{config.dispatches} * config.blocks;
  // Reading the clock takes longer than a nanosecond: so many turns are always enough.
  const WorkParams params = {0, static_cast<std::uint32_t>(config.work_ns / tick_ns), config.work_ns};
  bench::Launch launch;
  launch.kernel = &load_work(bench, config);
  launch.grid = {config.blocks, 1, 1};
  Buffer& tags = bench.output("tags", blocks);
  Buffer& trace = bench.output("trace", blocks * EXP08_TRACE_WORDS);
  launch.buffers = {&tags, &trace};
  launch.params = bench::params_bytes(params);
  const bench::PerApi<decltype(&cuda_side)> sides = {{bench::cuda::kApi, cuda_side}, {bench::vulkan::kApi, vulkan_side}};
  Dispatches made = sides.at(bench.device().info().api, "dispatches")(bench, config, launch, params);

  // Through what will be timed.
  made.subject->time_host(1);
  bench::verify<std::uint32_t>(bench, "tags of blocks", tags, blocks, bench::kGuardWords,
                               [](std::uint64_t i) { return EXP08_TAG(static_cast<std::uint32_t>(i)); });
  if (made.state != nullptr) {
    bench::verify<std::uint32_t>(bench, "graphs launched, and the last error", *made.state, EXP08_STATE_WORDS,
                                 bench::kGuardWords, [config](std::uint64_t i) { return decided_state(config, i); });
  }
  bench.makes_outputs_anew();
  return {std::move(made.subject),
          [&bench, &trace, config, tick_ns] { return read_trace(bench.device(), trace, config, tick_ns).set(host_values()); },
          bench::kReadings};
}

bench::Case make_case(const Config& config) {
  bench::Case result =
      bench::twin(config.name,
                  {{"way", name_of(config.way)},
                   {"dispatches", config.dispatches},
                   {"blocks", config.blocks},
                   {"work_ns", config.work_ns},
                   {"lanes", bench::unless_zero(config.lanes)}},
                  [=](Workbench& bench) {
                    return config.is_decided() ? Prepared(set_up_decided(bench, config), host_values) : set_up(bench, config);
                  });
  const bool vulkan_alone = config.way == DispatchMethod::kBuffers || config.way == DispatchMethod::kSubmissions;
  if (vulkan_alone) result.apis = {{bench::vulkan::kApi}};
  // With timeline semaphores several submissions are held back until the last one is made.
  const bool forks = config.way == DispatchMethod::kQueues;
  result.vulkan.timeline = config.way == DispatchMethod::kSubmissions || config.way == DispatchMethod::kBatches || forks;
  if (forks) result.vulkan.compute_queues = config.lanes;
  result.vulkan.conditional_rendering = config.way == DispatchMethod::kPredicated;
  if (config.way == DispatchMethod::kPredicated) result.apis = {{bench::vulkan::kApi}};
  if (config.way == DispatchMethod::kTail) result.apis = {{bench::cuda::kApi}};
  result.elements = std::uint64_t{config.dispatches} * config.blocks;
  result.spins = config.work_ns != 0;
  result.fixed_batch = 1;
  result.budget_part = 0.1;
  result.host_samples = 20;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  const std::uint32_t sms = small ? 4 : std::max(plan.multiprocessors, 1U);
  const std::uint32_t full = small ? 16 : plan.resident_blocks(kBlock);
  const std::vector<std::uint32_t> counts = plan.quick ? std::vector<std::uint32_t>{small ? 20U : 1000U}
                                            : small    ? std::vector<std::uint32_t>{1, 20}
                                                       : std::vector(std::begin(kCounts), std::end(kCounts));
  std::vector<bench::Case> list;
  std::vector<Config> controlled;
  struct Shape {
    std::uint32_t blocks;
    std::uint32_t work_ns;
  };
  for (const Shape& shape : {Shape{1, 0}, Shape{1, kWorkNs}, Shape{sms, kWorkNs}, Shape{full, kWorkNs}}) {
    // A coarse sweep: empty dispatches, and one block on every SM.
    if (plan.quick && shape.work_ns != 0 && shape.blocks != sms) continue;
    for (const std::uint32_t count : counts) {
      for (const WayText& way : kWays) {
        if (count == 1 && !way.of_one) continue;
        list.push_back(make_case({"dispatches", way.way, count, shape.blocks, shape.work_ns}));
      }
      if (count > 1 && shape.blocks != full) {
        for (const DispatchMethod way : {DispatchMethod::kIndirect, DispatchMethod::kInPlace})
          list.push_back(make_case({"indirect", way, count, shape.blocks, shape.work_ns}));
      }
    }
  }
  for (const DispatchMethod way : {DispatchMethod::kOrdered, DispatchMethod::kOrderedReplayed}) {
    bench::Case loop = make_case({"iterate", way, small ? 50 : kSteps, sms, kStepNs});
    loop.host_samples = 6;
    loop.budget_part = 1;
    list.push_back(loop);
  }
  for (const std::uint32_t blocks : {1U, sms}) {
    if (plan.quick && blocks != 1) continue;
    for (const DispatchMethod way : {DispatchMethod::kKnown, DispatchMethod::kTaken, DispatchMethod::kNotTaken}) {
      list.push_back(make_case({"guarded", way, small ? 4 : kBranches, blocks, 0}));
    }
  }
  for (const std::uint32_t steps :
       small ? std::vector<std::uint32_t>{1, 20} : std::vector<std::uint32_t>{10, 100, kMostSteps}) {
    if (plan.quick && steps != 20 && steps != kMostSteps) continue;
    for (const DispatchMethod way :
         {DispatchMethod::kKnownLoop, DispatchMethod::kWhile, DispatchMethod::kPredicated, DispatchMethod::kTail})
      list.push_back(make_case({"repeated", way, steps, 1, 0}));
  }
  for (const std::uint32_t work_ns : {0U, kWorkNs}) {
    list.push_back(make_case({"launched", DispatchMethod::kFromDevice, small ? 4 : kBranches, 1, work_ns}));
  }
  for (const Spread& spread : spreads(small)) {
    if (plan.quick) break;
    for (const std::uint32_t lanes : spread.lanes) {
      for (const std::uint32_t work_ns : {0U, kWorkNs}) {
        bench::Case one = make_case({"spread", spread.way, small ? 20 : kSpread, 1, work_ns, lanes});
        one.apis = {{spread.api}};
        list.push_back(one);
      }
    }
  }
  // What CUDA's gate does to a graph of many branches.
  for (const char* control : {"led_in", "not_held"}) {
    if (plan.quick) break;
    for (const std::uint32_t lanes : small ? std::vector<std::uint32_t>{4} : std::vector<std::uint32_t>{32, 128}) {
      for (const std::uint32_t work_ns : {0U, kWorkNs}) {
        bench::Case one = make_case({control, DispatchMethod::kGraph, small ? 20 : kSpread, 1, work_ns, lanes});
        one.apis = {{bench::cuda::kApi}};
        list.push_back(one);
      }
    }
  }
  for (const bench::Case& control :
       bench::aa_controls(make_case({"dispatches", DispatchMethod::kIndependentReplayed, counts.back(), 1, kWorkNs}))) {
    list.push_back(control);
  }
  return list;
}

std::vector<Column> measured() {
  std::vector<Column> columns = {
      Column::real("at_once", "", "dispatches that ran at the same time at most, by the GPU's clock").optional(),
      Column::real("sms", "", "on which their blocks ran").optional(),
      Column::text("connections", "CUDA_DEVICE_MAX_CONNECTIONS, or default where the user has not set it").optional(),
      Column::real("span_ns", "ns", "from the first block's begin to the last one's end, by that clock").optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_dispatches",
      .question = "What do many small dispatches that need nothing of each other cost, and how many run at once?",
      .params = {Column::text("way", "in which they are passed: see DESIGN.md"),
                 Column::integer("dispatches", "", "of a submission"),
                 Column::integer("blocks", "", "of a dispatch, 256 threads each"),
                 Column::integer("work_ns", "ns", "that a block works, by the GPU's clock"),
                 Column::integer("lanes", "", "streams, chains of a graph, command buffers, submissions or queues").optional()},
      .model = {},
      .measured = measured(),
      .variants = {{"dispatches", "`dispatches` launches of `blocks` blocks; times are of all of them together"},
                   {"spread", "the same over `lanes` of what an API has for independent work: its curve; one API in each row"},
                   {"indirect", "the same, their grids read from memory that a kernel has just written; Vulkan alone"},
                   {"guarded", "`dispatches` times: a kernel decides whether the next one runs"},
                   {"repeated", "a loop of `dispatches` steps, of which a kernel decides after each whether another follows"},
                   {"launched", "`dispatches` independent launches of `blocks` blocks, made by a kernel"},
                   {"iterate", "a loop of 1,000 ordered steps of 20 µs by a block for each SM; times are of the whole loop"},
                   {"led_in", "spread, but two untimed submissions stand between CUDA's gate and a sample"},
                   {"not_held", "spread, but without CUDA's gate: the GPU may begin a sample while the host submits it"},
                   {"aa_control_a", "A/A control: many independent dispatches, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
