// How soon does the host learn that a kernel is done, and what does it burn until then?
#include <chrono>
#include <memory>
#include <vector>

#include "../host.h"
#include "../host_timed.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/stats.h"
#include "core/base/watchdog.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "exp08_kernels.h"
#include "sides.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint32_t kLengthsNs[] = {10'000, 100'000, 1'000'000, 10'000'000};
constexpr std::uint32_t kSmallLengthsNs[] = {100'000, 1'000'000};
constexpr std::chrono::seconds kFlagBound{2};
constexpr std::uint32_t kLooks = 1024;  // at the flag between two at the clock

struct WayText {
  WaitMethod way;
  const char* name;
  bool cuda;
  bool vulkan;
};
constexpr WayText kWays[] = {{WaitMethod::kPoll, "poll", true, true},     {WaitMethod::kSleep, "sleep", true, true},
                             {WaitMethod::kObject, "object", true, true}, {WaitMethod::kPollObject, "poll_object", true, true},
                             {WaitMethod::kFlag, "flag", true, true},     {WaitMethod::kSpin, "spin", true, false},
                             {WaitMethod::kYield, "yield", true, false}};

// What all samples of a side took together.
struct Spent {
  std::vector<double> roundtrips_ns;
  CpuTime cpu;
};

// A submission and a wait for it.
bench::HostTimes wait_once(Waiter& waiter, double expected_s, Spent& spent) {
  const bench::Deadline deadline("a task", expected_s);
  const CpuTime before = cpu_time();
  const auto begin = HostClock::now();
  waiter.submit();
  const auto submitted = HostClock::now();
  waiter.wait();
  const auto completed = HostClock::now();
  const CpuTime after = cpu_time();
  waiter.settle();
  spent.cpu += after - before;
  spent.roundtrips_ns.push_back(ns_between(begin, completed));
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}

bench::Values read(bench::Device& device, const Buffer& trace, const Spent& spent, double tick_ns) {
  std::uint32_t words[EXP08_TRACE_WORDS] = {};
  device.download(trace, 0, std::as_writable_bytes(std::span(words)));
  const double own_ns = (words[1] - words[0]) * tick_ns;  // modulo 2^32
  double all_s = 0;
  for (const double ns : spent.roundtrips_ns) all_s += 1e-9 * ns;
  bench::Values values = host_values();
  return values.set("own_ns", own_ns)
      .set("latency_ns", bench::median(spent.roundtrips_ns) - own_ns)
      .set("cpu_user", spent.cpu.user_s / all_s)
      .set("cpu_system", spent.cpu.system_s / all_s)
      .set("cpu_share", (spent.cpu.user_s + spent.cpu.system_s) / all_s);
}

// Six steps, the same for both APIs: kernel, no input, poisoned output, one run, verification, the subject to be timed.
Prepared set_up(Workbench& bench, WaitMethod way, std::uint32_t length_ns) {
  const bench::DeviceInfo& info = bench.device().info();
  const double tick_ns = info.realtime_tick_ns;
  if (tick_ns <= 0) throw bench::Skip("a clock that kernels read wanted (VK_KHR_shader_clock), none found");
  // Reading the clock takes longer than a nanosecond: so many turns are always enough.
  const TaskParams params = {static_cast<std::uint32_t>(length_ns / tick_ns), length_ns, 0, 0, 0, 0};
  bench::Launch launch;
  const bool tells = way == WaitMethod::kFlag;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), "task"),
                                 .entry = tells ? "task_tells" : "task",
                                 .block_x = 32,
                                 .constants = {tells ? 1U : 0U},
                                 .buffers = 2,
                                 .params_bytes = sizeof(TaskParams)});
  Buffer& done = bench.output("done", 1);
  Buffer& trace = bench.output("trace", EXP08_TRACE_WORDS);
  launch.buffers = {&done, &trace};
  launch.params = bench::params_bytes(params);
  const auto spent = std::make_shared<Spent>();
  const bench::PerApi<decltype(&cuda_waiter)> waiters = {{bench::cuda::kApi, cuda_waiter},
                                                         {bench::vulkan::kApi, vulkan_waiter}};
  const std::shared_ptr<Waiter> waiter = waiters.at(info.api, "waiting")(bench, way, launch, params);
  const double expected_s = 1e-9 * length_ns + (info.is_cpu ? 30 : 0);
  auto subject = std::make_unique<HostTimed>([=] { return wait_once(*waiter, expected_s, *spent); }, launch.kernel);
  // Through what will be timed.
  subject->time_host(1);
  bench::verify<std::uint32_t>(bench, "the word of a task that is done", done, 1, bench::kGuardWords,
                               [](std::uint64_t) { return EXP08_DONE; });
  bench.makes_outputs_anew();
  std::uint32_t words[EXP08_TRACE_WORDS] = {};
  bench.device().download(trace, 0, std::as_writable_bytes(std::span(words)));
  if (words[1] - words[0] < params.ticks)
    throw bench::Error("a task of {} ticks ended after {}", params.ticks, words[1] - words[0]);
  return {std::move(subject), [&bench, &trace, spent, tick_ns] { return read(bench.device(), trace, *spent, tick_ns); }};
}

bench::Case make_case(const WayText& way, std::uint32_t length_ns) {
  bench::Case result = bench::twin("wait", {{"way", way.name}, {"length_ns", length_ns}},
                                   [=](Workbench& bench) { return set_up(bench, way.way, length_ns); });
  if (!way.vulkan) result.apis = {{bench::cuda::kApi}};
  result.elements = 1;
  result.spins = true;
  result.fixed_batch = 1;
  result.budget_part = 0.6;
  result.vulkan = {.timeline = true};
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  const std::vector<std::uint32_t> lengths = small ? std::vector(std::begin(kSmallLengthsNs), std::end(kSmallLengthsNs))
                                                   : std::vector(std::begin(kLengthsNs), std::end(kLengthsNs));
  std::vector<bench::Case> list;
  for (const std::uint32_t length_ns : plan.quick ? std::vector{lengths.front()} : lengths) {
    for (const WayText& way : kWays) list.push_back(make_case(way, length_ns));
  }
  for (const bench::Case& control : bench::aa_controls(make_case(kWays[0], lengths[0]))) list.push_back(control);
  return list;
}

std::vector<Column> measured() {
  std::vector<Column> columns = {
      Column::real("own_ns", "ns", "the kernel's length by the clock that it reads").optional(),
      Column::real("latency_ns", "ns", "the median round trip less that: handing over, starting, and learning of the end")
          .optional(),
      Column::real("cpu_user", "s/s", "CPU time of the waiting thread, user, a second from submit to completed").optional(),
      Column::real("cpu_system", "s/s", "the same, system").optional(),
      Column::real("cpu_share", "s/s", "the same, both").optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

void poll_flag(const volatile std::uint32_t* flag, std::uint32_t value) {
  const auto begin = HostClock::now();
  for (std::uint32_t look = 0; *flag != value; ++look) {
    if (look % kLooks == kLooks - 1 && HostClock::now() - begin > kFlagBound) {
      throw bench::Error("the kernel's flag did not come within two seconds");
    }
  }
}

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_waiting",
      .question = "How soon does the host learn that a kernel is done, and what does it burn until then?",
      .params = {Column::text("way", "of waiting: see DESIGN.md"), Column::integer("length_ns", "ns", "that the kernel works")},
      .model = {},
      .measured = measured(),
      .variants = {{"wait", "one kernel of one warp is submitted and waited for; times are the host's, submit to completed"},
                   {"aa_control_a",
                    "A/A control: the shortest kernel, polled for, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
