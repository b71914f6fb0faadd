#include "ruler.h"

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/experiment/access_model.h"
#include "core/experiment/verify.h"
#include "exp01_kernels.h"
#include "params.h"
#include "ruler_reading.h"

namespace {

using bench::Buffer;
using bench::kWarpLanes;
using bench::Launch;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kMicroseconds[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
constexpr std::uint32_t kQuickMicroseconds[] = {10, 1000};
constexpr std::uint32_t kSmallMicroseconds[] = {20, 200};  // of a software device, whose kernels' loops end after 65535 turns
constexpr std::uint32_t kBatch = 16;
static_assert(kBatch <= RULER_SLOTS);

struct Ruler {
  std::uint32_t length_ns = 0;
  std::uint32_t blocks = 0;

  std::uint64_t words() const { return RULER_HEAD + std::uint64_t{RULER_SLOTS} * blocks * RULER_WORDS; }
};

// Reads the stamps of every sample's kernels once its own are taken.
class RulerSubject final : public Subject {
 public:
  RulerSubject(Workbench& bench, std::unique_ptr<Subject> timed, const Buffer& stamps, const Ruler& ruler,
               std::shared_ptr<std::vector<Reading>> readings)
      : bench_(bench), timed_(std::move(timed)), stamps_(stamps), ruler_(ruler), readings_(std::move(readings)) {}

  const bench::Kernel* kernel() const override { return timed_->kernel(); }
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override {
    const bench::DeviceTime time = timed_->time_device(spec);
    std::vector<std::uint32_t> words(ruler_.words());
    bench_.device().download(stamps_, 0, std::as_writable_bytes(std::span(words)));
    readings_->push_back(read_stamps(words, ruler_.blocks, spec.batch, bench_.device().info().realtime_tick_ns, time.ns));
    return time;
  }
  bench::HostTimes time_host(std::uint32_t batch) override { return timed_->time_host(batch); }

 private:
  Workbench& bench_;
  std::unique_ptr<Subject> timed_;
  const Buffer& stamps_;
  Ruler ruler_;
  std::shared_ptr<std::vector<Reading>> readings_;
};

bench::Values medians(const std::vector<Reading>& readings, std::uint32_t batch) {
  const auto of = [&](double Reading::*figure) {
    std::vector<double> values;
    for (const Reading& one : readings) values.push_back(one.*figure);
    return bench::median(values);
  };
  const auto finest =
      std::min_element(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) { return a.step < b.step; });
  bench::Values values = {{"own_ns", of(&Reading::own)}, {"outside_ns", of(&Reading::outside)}};
  if (batch > 1) values.set("gap_ns", of(&Reading::gap));
  values.set("clock_step_ns", finest->step);
  return values;
}

bench::Prepared set_up(Workbench& bench, const Ruler& ruler, std::uint32_t batch) {
  const double tick_ns = bench.device().info().realtime_tick_ns;
  if (tick_ns <= 0) throw bench::Skip("a clock that kernels read wanted (VK_KHR_shader_clock), none found");
  // Reading the clock takes longer than a nanosecond: so many turns are always enough.
  const RulerParams params = {static_cast<std::uint32_t>(ruler.length_ns / tick_ns), ruler.length_ns};
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp01(), "ruler"),
                                 .entry = "ruler",
                                 .block_x = kWarpLanes,
                                 .buffers = 1,
                                 .params_bytes = sizeof(RulerParams)});
  launch.grid = {ruler.blocks, 1, 1};
  launch.params = bench::params_bytes(params);
  Buffer& stamps = bench.output("ruler", ruler.words());
  launch.buffers = {&stamps};
  const auto start_over = [&bench, &stamps, ruler] {
    bench.device().fill(stamps, 0, ruler.words() * sizeof(std::uint32_t), bench::kPoison);
    bench.device().fill(stamps, 0, RULER_HEAD * sizeof(std::uint32_t), 0);
  };
  // What one launch from there has left.
  const auto check = [&bench, &stamps, ruler, params] {
    std::vector<std::uint32_t> words(ruler.words());
    bench.device().download(stamps, 0, std::as_writable_bytes(std::span(words)));
    if (words[RULER_LAUNCHES] != 1) throw bench::Error("one launch was counted as {}", words[RULER_LAUNCHES]);
    for (std::uint32_t block = 0; block < ruler.blocks; ++block) {
      const std::uint32_t* mine = words.data() + RULER_HEAD + block * RULER_WORDS;
      if (mine[1] - mine[0] < params.ticks || mine[2] == 0 || mine[2] > mine[1] - mine[0]) {
        throw bench::Error("block {} waited from {} to {} in steps of {}, which are not {} ticks of the clock", block, mine[0],
                           mine[1], mine[2], params.ticks);
      }
    }
  };
  start_over();
  bench.device().run(launch);
  check();
  bench.compared();
  bench.makes_outputs_anew(start_over, check);
  auto readings = std::make_shared<std::vector<Reading>>();
  return {std::make_unique<RulerSubject>(bench, bench.device().prepare(launch, {}), stamps, ruler, readings),
          [readings, batch] { return medians(*readings, batch); }};
}

bench::Case make_case(const char* variant, const Ruler& ruler, std::uint32_t batch) {
  bench::Case result = bench::twin(variant, {{"block", kWarpLanes}, {"chain", batch}},
                                   [=](Workbench& bench) { return set_up(bench, ruler, batch); });
  result.elements = ruler.length_ns;
  result.spins = true;
  result.fixed_batch = batch;
  result.budget_part = 0.2;
  result.host_samples = 0;
  return result;
}

}  // namespace

std::vector<bench::Case> ruler_cases(const bench::Plan& plan) {
  std::span<const std::uint32_t> lengths = kMicroseconds;
  if (plan.quick) lengths = kQuickMicroseconds;
  if (plan.cpu || plan.smoke) lengths = kSmallMicroseconds;
  std::vector<bench::Case> list;
  for (const std::uint32_t us : lengths) {
    for (const std::uint32_t batch : {1U, kBatch}) list.push_back(make_case("ruler", {us * 1000, 1}, batch));
    if (!plan.quick) list.push_back(make_case("ruler_full", {us * 1000, std::max(plan.multiprocessors, 1U)}, 1));
  }
  return list;
}

std::vector<bench::Column> ruler_columns() {
  using bench::Column;
  return {Column::real("own_ns", "ns", "a launch by the clock that its kernel reads, first block's begin to last block's end")
              .optional(),
          Column::real("outside_ns", "ns", "what a sample's stamps read beyond its first launch's begin and last one's end")
              .optional(),
          Column::real("gap_ns", "ns", "from a launch's end to the next one's begin").optional(),
          Column::real("clock_step_ns", "ns", "the least step of that clock that a kernel saw").optional()};
}
