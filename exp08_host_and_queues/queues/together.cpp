#include "together.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "../host.h"
#include "../host_timed.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/stats.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "lanes.h"
#include "params.h"
#include "spans.h"

namespace {

using bench::Buffer;
using bench::HostTimes;
using bench::Launch;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kBlock = 256;
constexpr std::size_t kLooks = 9;  // of which measured columns are the median

// How long blocks stay. A software device's threads share few cores.
struct Stay {
  double kernel_ns;      // of two kernels together, and of one beside a copy
  double background_ns;  // a block of the many that the foreground meets
  double foreground_ns;
};
constexpr Stay kOnGpu = {500e3, 50e3, 2e3};
constexpr Stay kOnCpu = {30e3, 5e3, 2e3};

constexpr std::uint32_t kWaves = 16;        // of the background: blocks for every slot, so often
constexpr double kBackgroundLeadNs = 60e3;  // by then it has begun

// Where the second piece goes: the parameter `beside`.
struct Beside {
  const char* name;
  Lane lane;
  bool cuda;
};
const Beside kKernelsBeside[] = {
    {"same_queue", Lane::kFirst, true}, {"two_queues", Lane::kSecond, true}, {"graphics_queue", Lane::kGraphics, false}};
const Beside kCopiesBeside[] = {
    {"same_queue", Lane::kFirst, true}, {"two_queues", Lane::kSecond, false}, {"transfer_queue", Lane::kTransfer, true}};

Lanes& lanes(Workbench& bench, bool ranked) {
  return bench.kept<Lanes>(ranked ? "ranked lanes" : "lanes", [&] {
    const bench::PerApi<std::function<std::unique_ptr<Lanes>(bench::Device&)>> makers = {
        {bench::cuda::kApi, [ranked](bench::Device& device) { return cuda_lanes(device, ranked); }},
        {bench::vulkan::kApi, vulkan_lanes}};
    return makers.at(bench.device().info().api, "work side by side")(bench.device());
  });
}

// A kernel whose blocks stay, and its spans.
struct Stayer {
  Workbench& bench;
  Buffer& spans;
  Launch launch;
  std::uint32_t ticks;

  static Stayer make(Workbench& bench, const std::string& slot, std::uint32_t blocks, double ns) {
    const double tick_ns = bench.device().info().realtime_tick_ns;
    if (tick_ns <= 0) throw bench::Skip("{}: kernels cannot read a clock", bench.device().info().name);
    const auto ticks = static_cast<std::uint32_t>(ns / tick_ns);
    Buffer& spans = bench.output(slot, std::uint64_t{blocks} * EXP08_STAY_WORDS);
    Launch launch;
    launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), "stay"),
                                   .entry = "stay",
                                   .block_x = kBlock,
                                   .buffers = 1,
                                   .params_bytes = sizeof(StayParams)});
    launch.grid = {blocks, 1, 1};
    launch.buffers = {&spans};
    // A turn looks EXP08_LOOKS times, and no look takes less than a nanosecond.
    launch.params = bench::params_bytes(StayParams{ticks, std::max(static_cast<std::uint32_t>(ns / EXP08_LOOKS), 1U)});
    return {bench, spans, launch, ticks};
  }

  void poison() const { bench.device().fill(spans, 0, words_count() * sizeof(std::uint32_t), bench::kPoison); }
  std::size_t words_count() const { return std::size_t{launch.grid[0]} * EXP08_STAY_WORDS; }
  std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> found(words_count());
    bench.device().download(spans, 0, std::as_writable_bytes(std::span(found)));
    return found;
  }
};

double roundtrip_ns(const HostTimes& times) { return times.roundtrip_ns; }

HostTimes go_both(Job& one, Job& other) {
  one.ready();
  other.ready();
  const auto begin = HostClock::now();
  one.submit();
  other.submit();
  const auto submitted = HostClock::now();
  one.wait();
  other.wait();
  return {ns_between(begin, HostClock::now()), ns_between(begin, submitted)};
}

HostTimes go_alone(Job& one) {
  one.ready();
  const auto begin = HostClock::now();
  one.submit();
  const auto submitted = HostClock::now();
  one.wait();
  return {ns_between(begin, HostClock::now()), ns_between(begin, submitted)};
}

double median_over_looks(const std::function<double()>& look) {
  std::vector<double> found;
  for (std::size_t i = 0; i < kLooks; ++i) found.push_back(look());
  return bench::quantile(found, 0.5);
}

double overlap_of(const Stayer& a, const Stayer& b) {
  const auto first = a.words();
  const auto second = b.words();
  return overlap(span_of(first, first[0], a.ticks), span_of(second, first[0], b.ticks));
}

Prepared set_up_kernels(Workbench& bench, Lane lane, std::uint32_t blocks, double ns) {
  const auto a = std::make_shared<Stayer>(Stayer::make(bench, "spans a", blocks, ns));
  const auto b = std::make_shared<Stayer>(Stayer::make(bench, "spans b", blocks, ns));
  Lanes& own = lanes(bench, false);
  const std::shared_ptr<Job> one = own.launch(Lane::kFirst, a->launch);
  const std::shared_ptr<Job> other = own.launch(lane, b->launch);
  go_both(*one, *other);
  const auto check = [=] { overlap_of(*a, *b); };  // throws where a block did not stay
  check();
  bench.compared();
  bench.makes_outputs_anew(
      [=] {
        a->poison();
        b->poison();
      },
      check);
  return {std::make_unique<HostTimed>([=] { return go_both(*one, *other); }, a->launch.kernel), [=] {
            const double alone_ns = median_over_looks([&] { return roundtrip_ns(go_alone(*one)); });
            const double at_once = median_over_looks([&] {
              go_both(*one, *other);
              return overlap_of(*a, *b);
            });
            return bench::Values{{"overlap_pct", 100 * at_once}, {"alone_ns", alone_ns}}.set(host_values());
          }};
}

Prepared set_up_beside_copy(Workbench& bench, Lane lane, std::uint32_t blocks, std::uint64_t bytes, double ns) {
  Lanes& own = lanes(bench, false);
  const auto stayer = std::make_shared<Stayer>(Stayer::make(bench, "spans a", blocks, ns));
  Buffer& arrival = bench.output("arrival", bytes / sizeof(std::uint32_t));
  const std::shared_ptr<Job> kernel = own.launch(Lane::kFirst, stayer->launch);
  const std::shared_ptr<Job> copy = own.upload(lane, arrival, bytes);
  go_both(*kernel, *copy);
  bench::verify<std::uint32_t>(bench, "incompressible words", arrival, bytes / sizeof(std::uint32_t), bench::kGuardWords,
                               [](std::uint64_t i) { return incompressible_word(static_cast<std::uint32_t>(i)); });
  const auto check = [=] {
    const auto words = stayer->words();
    span_of(words, words[0], stayer->ticks);
  };
  check();
  bench.makes_outputs_anew([=] { stayer->poison(); }, check);
  return {
      std::make_unique<HostTimed>([=] { return go_both(*kernel, *copy); }, stayer->launch.kernel), [=] {
        const double kernel_ns = median_over_looks([&] { return roundtrip_ns(go_alone(*kernel)); });
        const double copy_ns = median_over_looks([&] { return roundtrip_ns(go_alone(*copy)); });
        const double both_ns = median_over_looks([&] { return roundtrip_ns(go_both(*kernel, *copy)); });
        check();
        const double at_once = std::clamp((kernel_ns + copy_ns - both_ns) / std::min(kernel_ns, copy_ns), 0.0, 1.0);
        return bench::Values{{"overlap_pct", 100 * at_once}, {"alone_ns", kernel_ns}, {"copy_ns", copy_ns}}.set(host_values());
      }};
}

// The foreground comes when the background has filled the GPU, and has most of its blocks still to start.
HostTimes go_foreground(Job& background, Job& foreground) {
  background.ready();
  const auto began = HostClock::now();
  background.submit();
  while (ns_between(began, HostClock::now()) < kBackgroundLeadNs) {
  }
  const HostTimes times = go_alone(foreground);
  background.wait();
  return times;
}

Prepared set_up_foreground(Workbench& bench, bool ranked, std::uint32_t slots, const Stay& stay) {
  Lanes& own = lanes(bench, ranked);
  const auto behind = std::make_shared<Stayer>(Stayer::make(bench, "spans a", slots * kWaves, stay.background_ns));
  const auto before = std::make_shared<Stayer>(Stayer::make(bench, "spans b", 1, stay.foreground_ns));
  const std::shared_ptr<Job> background = own.launch(Lane::kFirst, behind->launch);
  const std::shared_ptr<Job> foreground = own.launch(Lane::kSecond, before->launch);
  const auto left = [=] {
    const auto long_ones = behind->words();
    const auto short_one = before->words();
    return left_after(span_of(long_ones, long_ones[0], behind->ticks), span_of(short_one, long_ones[0], before->ticks));
  };
  const auto look = [=] {
    go_foreground(*background, *foreground);
    return left();
  };
  look();
  bench.compared();
  bench.makes_outputs_anew(
      [=] {
        behind->poison();
        before->poison();
      },
      [=] { left(); });
  return {std::make_unique<HostTimed>([=] { return go_foreground(*background, *foreground); }, before->launch.kernel), [=] {
            const double alone_ns = median_over_looks([&] { return roundtrip_ns(go_alone(*foreground)); });
            return bench::Values{{"left_pct", 100 * median_over_looks(look)}, {"alone_ns", alone_ns}}.set(host_values());
          }};
}

bench::Case finished(bench::Case made, const Beside& beside, std::uint64_t elements) {
  made.elements = elements;
  made.spins = true;
  made.fixed_batch = 1;
  made.budget_part = 0.5;
  made.vulkan.compute_queues = beside.lane == Lane::kSecond ? 2 : 1;
  made.vulkan.transfer_queue = beside.lane == Lane::kTransfer;
  made.vulkan.graphics_queue = beside.lane == Lane::kGraphics;
  if (!beside.cuda) made.apis = {{bench::vulkan::kApi}};
  return made;
}

}  // namespace

std::vector<bench::Case> together_cases(const Plan& plan) {
  const bool few = plan.smoke || plan.cpu;
  const Stay stay = plan.cpu ? kOnCpu : kOnGpu;
  const std::uint32_t sms = std::max(plan.multiprocessors, 1U);
  const std::uint32_t slots = few ? sms : plan.resident_blocks(kBlock);
  std::vector<std::uint32_t> sizes = {1, sms, slots / 2, slots};
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (few) sizes = {1};
  std::vector<bench::Case> list;
  for (const Beside& beside : kKernelsBeside) {
    for (const std::uint32_t blocks : sizes) {
      list.push_back(
          finished(bench::twin("two_kernels", {{"beside", beside.name}, {"blocks", blocks}},
                               [=](Workbench& bench) { return set_up_kernels(bench, beside.lane, blocks, stay.kernel_ns); }),
                   beside, static_cast<std::uint64_t>(stay.kernel_ns)));
    }
  }
  const std::uint64_t bytes = few ? 64 << 10 : 32 << 20;  // about as long as the kernel
  for (const Beside& beside : kCopiesBeside) {
    list.push_back(finished(
        bench::twin("beside_copy", {{"beside", beside.name}, {"blocks", sms}},
                    [=](Workbench& bench) { return set_up_beside_copy(bench, beside.lane, sms, bytes, stay.kernel_ns); }),
        beside, bytes / sizeof(std::uint32_t)));
  }
  for (const bool ranked : {false, true}) {
    const Beside beside = {"two_queues", Lane::kSecond, true};
    bench::Case one =
        finished(bench::twin("foreground", {{"beside", beside.name}, {"blocks", 1U}, {"priority", ranked ? "higher" : "equal"}},
                             [=](Workbench& bench) { return set_up_foreground(bench, ranked, slots, stay); }),
                 beside, static_cast<std::uint64_t>(stay.foreground_ns));
    one.vulkan.ranked_queues = ranked;
    list.push_back(one);
  }
  return list;
}

std::vector<bench::Column> together_columns() {
  using bench::Column;
  std::vector<Column> columns = {
      Column::real("overlap_pct", "%",
                   "of the shorter of two: in which the other ran, too, by the GPU's clock; beside a copy, by the host's")
          .optional(),
      Column::real("left_pct", "%", "of the background: left when the foreground had ended, by the GPU's clock").optional(),
      Column::real("alone_ns", "ns", "round trip of the kernel alone; of the foreground's").optional(),
      Column::real("copy_ns", "ns", "round trip of the copy alone").optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}
