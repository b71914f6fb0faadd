#include "observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/process.h"
#include "core/device/kernel_images.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"

namespace litmus {
namespace {

using bench::Buffer;
using bench::now_s;
using bench::Workbench;

constexpr std::uint64_t kWord = sizeof(std::uint32_t);
constexpr std::uint32_t kMaxSpacingLog2 = 3;  // two planes of 2 Mi places of 8 words: 128 MiB
constexpr std::uint32_t kTallyThreads = 256;
constexpr std::uint32_t kTallyBlocks = 512;
constexpr std::uint32_t kHandoffLooks = 64;
constexpr std::uint32_t kScatter[] = {0x9e3779b1U, 0x85ebca77U};  // odd; primes near the golden ratio's multiples of 2^32
// Every so many launches of a row, one of its control: often enough to be beside it, rarely enough not to cost much.
constexpr std::uint64_t kControlEvery = 8;
// Of a coherence test, with what it looks for put in: enough to see how often that shows.
constexpr std::uint64_t kFaultLaunches = 8;
enum class Fault : std::uint8_t { kNone, kSeeded };

const bench::Kernel& test_kernel(Workbench& bench, const Row& row, const Shape& shape) {
  const bool cluster = row.placement == Placement::kCluster;
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), cluster ? "cluster" : row.test->name),
                       .entry = fmt::format("{}_{}{}", row.test->name, to_string(row.strength), cluster ? "_cluster" : ""),
                       .block_x = shape.threads,
                       .constants = {static_cast<std::uint32_t>(row.strength)},
                       .buffers = 3,
                       .params_bytes = sizeof(LitmusParams)});
}

// The row that shows whether the GPU reorders at all: the same threads under the same stress, with nothing to keep order.
Row control_of(const Row& row) {
  return {.test = &test(row.test->control), .strength = Strength::kRelaxed, .placement = row.placement};
}

// Counts by outcome.
using Histogram = std::vector<std::uint32_t>;

struct Tallied {
  std::uint64_t instances = 0;
  std::uint64_t weak = 0;
  std::uint64_t unseen = 0;    // of a test that polls: its flag was never found set
  std::uint64_t early = 0;     // of a flag: looked at before it was set
  std::uint64_t outcomes = 0;  // different ones
};

// Throws Error on an outcome that no execution explains, and if instances are missing.
Tallied tally(const Test& test, const Histogram& histogram, std::uint64_t expected) {
  const Classifier classifier(test);
  Tallied result;
  for (std::uint32_t outcome = 0; outcome < histogram.size(); ++outcome) {
    const std::uint64_t count = histogram[outcome];
    if (count == 0) continue;
    const Kind kind = classifier.kind(outcome);
    if (kind == Kind::kImpossible) {
      throw bench::Error("{}: {} instances with registers {} {} {} {}, x {}, y {} (3: none of its values)", test.name, count,
                         digit(outcome, 0), digit(outcome, 1), digit(outcome, 2), digit(outcome, 3), digit(outcome, 4),
                         digit(outcome, 5));
    }
    result.instances += count;
    ++result.outcomes;
    if (kind == Kind::kWeak) result.weak += count;
    if (test.polls && digit(outcome, 0) == 0) result.unseen += count;
    if (test.family == Family::kVisible && digit(outcome, 1) == 0) result.early += count;
  }
  if (result.instances != expected) {
    throw bench::Error("{}: {} instances were run and {} counted", test.name, expected, result.instances);
  }
  return result;
}

// The kernels and buffers of one row, and of its control.
class Station {
 public:
  Station(Workbench& bench, const Shape& shape)
      : bench_(bench),
        shape_(shape),
        locations_(bench.output("litmus locations", (2 * shape.instances()) << kMaxSpacingLog2)),
        registers_(bench.output("litmus registers", LITMUS_REGISTERS * shape.instances())),
        scratch_(bench.output("litmus scratch", LITMUS_SCRATCH_WORDS)),
        counts_{&bench.output("litmus counts", LITMUS_OUTCOMES), &bench.output("litmus control counts", LITMUS_OUTCOMES)},
        tally_(bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "tally"),
                             .entry = "tally",
                             .block_x = kTallyThreads,
                             .buffers = 4,
                             .params_bytes = sizeof(LitmusParams)})) {
    reset();
  }

  Workbench& bench() { return bench_; }

  // Everything as before a first launch.
  void reset() {
    bench::Device& device = bench_.device();
    device.fill(locations_, 0, locations_.bytes(), 0);
    device.fill(registers_, 0, registers_.bytes(), LITMUS_UNSET);
    device.fill(scratch_, 0, scratch_.bytes(), 0);
    clear_counts();
  }

  bench::Launch launch_of(const bench::Kernel& kernel, const Row& row, const Stress& stress, Placement placement,
                          Fault fault = Fault::kNone) {
    bench::Launch launch;
    launch.kernel = &kernel;
    launch.grid = {shape_.test_blocks + shape_.stress_blocks, 1, 1};
    launch.buffers = {&locations_, &registers_, &scratch_};
    launch.params = bench::params_bytes(LitmusParams{
        .seed = bench::random_bits(bench_.run_seed(), 0x117, launches_++),
        .threads = shape_.threads,
        .test_blocks = shape_.test_blocks,
        .rounds = shape_.rounds,
        .placement = static_cast<std::uint32_t>(placement),
        .scatter_x = stress.scattered ? kScatter[0] : 1,
        .scatter_y = stress.scattered ? kScatter[1] : 1,
        .spacing_log2 = stress.spacing_log2,
        .pre_stress = stress.pre_stress,
        .stress = stress.stress,
        .align_polls = stress.align_polls,
        .polls = row.test->family == Family::kVisible ? shape_.flag_looks : kHandoffLooks,
        .used = used_digits(*row.test),
        .zero = 0,
        .fault = fault == Fault::kSeeded ? 1U : 0U,
    });
    return launch;
  }

  // One launch of a test, then the count of its outcomes into histogram `which`.
  void run(const bench::Launch& launch, std::size_t which) {
    bench_.device().run(launch);
    count(launch, which);
  }
  void count(const bench::Launch& launch, std::size_t which) { bench_.device().run(counting(launch, which)); }
  // Counts what `launch` has left behind, and sets it back for the next.
  bench::Launch counting(const bench::Launch& launch, std::size_t which) {
    const std::uint64_t blocks =
        std::min<std::uint64_t>(kTallyBlocks, (shape_.instances() + kTallyThreads - 1) / kTallyThreads);
    return {.kernel = &tally_,
            .grid = {static_cast<std::uint32_t>(blocks), 1, 1},
            .buffers = {&locations_, &registers_, &scratch_, counts_.at(which)},
            .params = launch.params};
  }

  // What instance 0 of `launch` leaves behind, replaced by `outcome`.
  void plant(const bench::Launch& launch, std::uint32_t outcome) {
    const LitmusParams params = params_of(launch);
    const auto put = [&](Buffer& buffer, std::uint64_t word, std::uint32_t value) {
      bench_.device().upload(buffer, word * kWord, std::as_bytes(std::span(&value, 1)));
    };
    for (std::uint32_t place = 0; place < LITMUS_REGISTERS; ++place) {
      if ((params.used >> place & 1) != 0) put(registers_, place * shape_.instances(), digit(outcome, place));
    }
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
      put(locations_, litmus_location(params, plane, 0), digit(outcome, LITMUS_REGISTERS + plane));
    }
  }

  Histogram counts(std::size_t which) {
    Histogram histogram(LITMUS_OUTCOMES);
    bench_.device().download(*counts_.at(which), 0, std::as_writable_bytes(std::span(histogram)));
    return histogram;
  }
  void clear_counts() {
    for (Buffer* counts : counts_) bench_.device().fill(*counts, 0, counts->bytes(), 0);
    bench_.device().fill(scratch_, LITMUS_TIMEOUTS * kWord, kWord, 0);
  }
  std::uint32_t timeouts() {
    std::uint32_t value = 0;
    bench_.device().download(scratch_, LITMUS_TIMEOUTS * kWord, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  std::uint64_t instances() const { return shape_.instances(); }

 private:
  static LitmusParams params_of(const bench::Launch& launch) {
    LitmusParams params{};
    std::memcpy(&params, launch.params.data(), sizeof(params));
    return params;
  }

  Workbench& bench_;
  Shape shape_;
  Buffer& locations_;
  Buffer& registers_;
  Buffer& scratch_;
  std::array<Buffer*, 2> counts_;
  const bench::Kernel& tally_;
  std::uint64_t launches_ = 0;
};

// One thread that plays all roles of an instance sees its own stores, in its own order, whatever the strength.
void verify_alone(Station& station, const bench::Kernel& kernel, const Row& row) {
  const Test& test = *row.test;
  const bench::Launch launch = station.launch_of(kernel, row, {.spacing_log2 = 1, .scattered = true}, Placement::kSelf);
  station.run(launch, 0);
  Histogram found = station.counts(0);
  std::uint64_t expected = std::exchange(found.at(outcome_in_order(test, false)), 0);
  if (test.either_first) expected += std::exchange(found.at(outcome_in_order(test, true)), 0);
  if (expected != station.instances()) {
    throw bench::Error("{}: of {} instances that one thread played alone, {} came out as they must", test.name,
                       station.instances(), expected);
  }
  station.clear_counts();
}

// A weak outcome that is really there must be counted as one.
void verify_planted(Station& station, const bench::Kernel& kernel, const Row& row) {
  const Classifier classifier(*row.test);
  std::uint32_t weak = 0;
  while (weak < LITMUS_OUTCOMES && classifier.kind(weak) != Kind::kWeak) ++weak;
  if (weak == LITMUS_OUTCOMES) return;  // `flag` has none
  const bench::Launch launch = station.launch_of(kernel, row, {}, Placement::kSelf);
  station.bench().device().run(launch);
  station.plant(launch, weak);
  station.count(launch, 0);
  const Tallied found = tally(*row.test, station.counts(0), station.instances());
  if (found.weak != 1) throw bench::Error("{}: one weak outcome was planted, {} were counted", row.test->name, found.weak);
  station.clear_counts();
}

Stress drawn(std::uint64_t seed, std::uint32_t number) {
  std::uint64_t index = 8ULL * number;
  const auto choose = [&](const std::vector<std::uint32_t>& values) {
    return values[bench::random_bits(seed, 0x57e55, index++) % values.size()];
  };
  Stress stress;
  stress.spacing_log2 = choose({0U, 1U, 2U, kMaxSpacingLog2});
  stress.scattered = choose({0U, 1U}) != 0;
  stress.pre_stress = choose({0U, 0U, 1U, 2U, 4U});
  stress.stress = choose({0U, 16U, 64U, 256U});
  stress.align_polls = choose({0U, 64U, 64U});
  return stress;
}

// The drawn set under which the control goes weak most often; the quickest, if none does.
Stress search(Station& station, const Row& row, const Plan& plan, Found& found) {
  const Row control = control_of(row);
  if (control.test->family == Family::kVisible) return {.spacing_log2 = 0, .scattered = false, .align_polls = 64};
  const std::string key = fmt::format("{} {} {}", bench::to_string(station.bench().device().info().api), control.test->name,
                                      to_string(control.placement));
  if (const auto known = found.find(key); known != found.end()) return known->second;
  const bench::Kernel& kernel = test_kernel(station.bench(), control, plan.shape);
  Stress best;
  std::pair<std::uint64_t, double> best_score;  // weak outcomes, then speed
  for (std::uint32_t number = 0; number < plan.searched; ++number) {
    const Stress stress = drawn(station.bench().run_seed(), number);
    station.clear_counts();
    const double start = now_s();
    for (std::uint32_t i = 0; i < plan.tries; ++i) {
      station.run(station.launch_of(kernel, control, stress, control.placement), 0);
    }
    const double seconds = now_s() - start;
    const Tallied tallied = tally(*control.test, station.counts(0), plan.tries * station.instances());
    const std::pair<std::uint64_t, double> score = {tallied.weak, 1 / seconds};
    if (number == 0 || score > best_score) std::tie(best, best_score) = std::pair(stress, score);
  }
  station.clear_counts();
  return found[key] = best;
}

struct Observation {
  Tallied row;
  Tallied control;
  Tallied fault;               // of a coherence test, its accesses in the wrong order
  std::uint64_t launches = 0;  // of the row
  std::uint32_t timeouts = 0;  // blocks and rounds that did not wait for the last
  double seconds = 0;
};

Observation observe(Station& station, const Row& row, const Plan& plan, const Stress& stress) {
  const Row control = control_of(row);
  const bool is_control = control.test == row.test && control.strength == row.strength;
  const bench::Kernel& kernel = test_kernel(station.bench(), row, plan.shape);
  const bench::Kernel& control_kernel = test_kernel(station.bench(), control, plan.shape);
  const Effort& effort = rule(*row.test, row.strength, row.placement).forbidden ? plan.forbidden : plan.allowed;
  station.reset();  // the sampler's launches were not counted

  Observation result;
  if (row.test->family == Family::kCoherence) {
    for (std::uint64_t i = 0; i < kFaultLaunches; ++i) {
      station.run(station.launch_of(kernel, row, stress, row.placement, Fault::kSeeded), 0);
    }
    result.fault = tally(*row.test, station.counts(0), kFaultLaunches * station.instances());
    station.reset();
  }
  std::uint64_t control_launches = 0;
  const double start = now_s();
  do {
    if (!is_control && result.launches % kControlEvery == 0) {
      station.run(station.launch_of(control_kernel, control, stress, row.placement), 1);
      ++control_launches;
    }
    station.run(station.launch_of(kernel, row, stress, row.placement), 0);
    ++result.launches;
    result.seconds = now_s() - start;
  } while (result.launches * station.instances() < effort.instances && result.seconds < effort.seconds);
  result.row = tally(*row.test, station.counts(0), result.launches * station.instances());
  result.control = is_control ? result.row : tally(*control.test, station.counts(1), control_launches * station.instances());
  result.timeouts = station.timeouts();
  return result;
}

std::string verdict(const Row& row, const Observation& seen) {
  if (seen.row.weak != 0) return "seen";
  // A zero says something only where the same threads, under the same stress, do go weak with nothing to keep them in order.
  return seen.control.weak != 0 || row.test->family == Family::kVisible ? "not_seen" : "unclear";
}

// A count of rare events and its 95 % interval. Source: B. D. Wilson and M. M. Hilferty's approximation to the quantiles of
// chi-squared, from which the exact bounds of a Poisson distribution's mean are made. The instances of one launch are not quite
// independent of each other: the interval is a little too narrow.
struct RareCount {
  double value = 0;
  double lo = 0;
  double hi = 0;
};
RareCount rare_count(std::uint64_t events) {
  constexpr double kZ = 1.959964;
  const auto bound = [](double shape, double z) {
    const double root = 1 - 1 / (9 * shape) + z / (3 * std::sqrt(shape));
    return shape * root * root * root;
  };
  const auto k = static_cast<double>(events);
  return {.value = k, .lo = events == 0 ? 0 : std::max(0.0, bound(k, -kZ)), .hi = bound(k + 1, kZ)};
}

// weak, weak_rate and weak_per_s, with intervals where they are of use. Of more than half it is the others that are rare.
bench::Values weak_values(std::uint64_t weak, std::uint64_t instances, double seconds) {
  const auto all = static_cast<double>(instances);
  RareCount count = rare_count(2 * weak > instances ? instances - weak : weak);
  if (2 * weak > instances) count = {all - count.value, all - count.hi, all - count.lo};
  return {{"instances", instances},
          {"weak", bench::Estimate{count.value, {{count.lo, count.hi}}}},
          {"weak_rate", bench::Estimate{count.value / all, {{count.lo / all, count.hi / all}}}},
          {"weak_per_s", count.value / seconds},
          {"observed_s", seconds}};
}

bench::Values values(const Row& row, const Stress& stress, const Observation& seen) {
  bench::Values result = weak_values(seen.row.weak, seen.row.instances, seen.seconds);
  result.set("verdict", verdict(row, seen));
  if (rule(*row.test, row.strength, row.placement).forbidden) result.set("forbidden", seen.row.weak);
  if (row.test->polls) {
    result.set("unseen_rate", static_cast<double>(seen.row.unseen) / static_cast<double>(seen.row.instances));
  }
  if (row.test->family == Family::kVisible) {
    result.set("early_rate", static_cast<double>(seen.row.early) / static_cast<double>(seen.row.instances));
    if (seen.row.early != 0) {
      result.set("unseen_early_rate", static_cast<double>(seen.row.unseen) / static_cast<double>(seen.row.early));
    }
  }
  result.set("control_rate", static_cast<double>(seen.control.weak) / static_cast<double>(seen.control.instances));
  if (row.test->family == Family::kCoherence) {
    result.set("fault_rate", static_cast<double>(seen.fault.weak) / static_cast<double>(seen.fault.instances));
  }
  result.set("outcomes", seen.row.outcomes);
  result.set("launches", seen.launches);
  result.set("timeouts", seen.timeouts);
  result.set("spacing_words", 1ULL << stress.spacing_log2);
  result.set("scattered", stress.scattered ? 1 : 0);
  result.set("pre_stress", stress.pre_stress);
  result.set("stress", stress.stress);
  result.set("align_polls", stress.align_polls);
  return result;
}

}  // namespace

std::vector<bench::Column> measured_columns() {
  using bench::Column;
  return {Column::integer("instances", "", "of the test that were observed"),
          Column::integer("weak", "", "outcomes that no interleaving explains; interval of a rare count").interval(),
          Column::real("weak_rate", "", "weak outcomes an instance").interval(),
          Column::real("weak_per_s", "1/s", "weak outcomes a second of observing"),
          Column::integer("forbidden", "", "weak outcomes that the memory model forbids").optional(),
          Column::text("verdict", "seen, not_seen, or unclear: the control was not seen, either"),
          Column::real("unseen_rate", "", "instances an instance whose flag was never seen").optional(),
          Column::real("early_rate", "", "instances an instance whose flag was looked at before it was set").optional(),
          Column::real("unseen_early_rate", "", "of those, whose flag was never seen").optional(),
          Column::real("control_rate", "", "weak outcomes an instance of the control").optional(),
          Column::real("fault_rate", "", "weak outcomes an instance of a coherence test with a seeded fault").optional(),
          Column::integer("outcomes", "", "different ones that were seen").optional(),
          Column::integer("launches", "", "that were observed"),
          Column::real("observed_s", "s", "of observing"),
          Column::integer("timeouts", "", "blocks and rounds that did not wait for the last").optional(),
          Column::integer("spacing_words", "words", "between places in memory").optional(),
          Column::integer("scattered", "", "1: a warp's places lie in different lines").optional(),
          Column::integer("pre_stress", "loads", "of a warp before a round, at most").optional(),
          Column::integer("stress", "", "stores and loads of each thread of the stressing blocks").optional(),
          Column::integer("align_polls", "", "looks whether all blocks have arrived before a round").optional()};
}

bench::Prepared set_up(Workbench& bench, const Row& row, const Plan& plan, const std::shared_ptr<Found>& found) {
  const bench::Kernel& kernel = test_kernel(bench, row, plan.shape);
  const auto station = std::make_shared<Station>(bench, plan.shape);
  verify_alone(*station, kernel, row);
  verify_planted(*station, kernel, row);
  bench.compared();
  const Stress stress = search(*station, row, plan, *found);
  const bench::Launch launch = station->launch_of(kernel, row, stress, row.placement);
  station->run(launch, 0);
  tally(*row.test, station->counts(0), station->instances());
  // Timed as it is observed: its blocks wait for each other, and its flags are not yet set.
  return {bench.device().prepare(launch, {.before = {station->counting(launch, 0)}}),
          [station, row, plan, stress] { return values(row, stress, observe(*station, row, plan, stress)); }};
}

bench::Prepared set_up_constant(Workbench& bench, const std::string& entry, const Plan& plan) {
  constexpr std::uint32_t kThreads = 64;  // thread 0's warp, and one that runs on its own
  const bench::Kernel& kernel = bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "constant"),
                                              .entry = entry,
                                              .block_x = kThreads,
                                              .buffers = 1,
                                              .params_bytes = sizeof(ConstantParams)});
  Buffer& seen = bench.output("constant", kThreads);
  const auto launch = [&kernel, &seen](std::uint32_t with) {
    return bench::Launch{.kernel = &kernel,
                         .grid = {1, 1, 1},
                         .buffers = {&seen},
                         .params = bench::params_bytes(ConstantParams{.with = with, .zero = 0})};
  };
  const auto observe = [&bench, &seen, launch, launches = plan.allowed.instances >= 1U << 20 ? 256U : 4U] {
    std::vector<std::uint32_t> values(kThreads);
    std::uint64_t old = 0;
    const double start = now_s();
    for (std::uint32_t i = 0; i < launches; ++i) {
      bench.device().run(launch(LITMUS_OLD));
      bench.device().fill(seen, 0, kThreads * kWord, bench::kPoison);
      bench.device().run(launch(LITMUS_NEW));
      bench.device().download(seen, 0, std::as_writable_bytes(std::span(values)));
      for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
        const std::uint32_t value = values[thread];
        if ((value != LITMUS_OLD || thread == 0) && value != LITMUS_NEW)
          throw bench::Error("thread {} read {}, neither {} nor {}", thread, value, LITMUS_OLD, LITMUS_NEW);
        old += value == LITMUS_OLD ? 1 : 0;
      }
    }
    const double seconds = now_s() - start;
    const std::uint64_t readers = std::uint64_t{launches} * (kThreads - 1);
    bench::Values result = weak_values(old, readers, seconds);
    result.set("verdict", old != 0 ? "seen" : "not_seen");
    result.set("launches", launches);
    return result;
  };
  observe();
  bench.compared();
  return {bench.device().prepare(launch(LITMUS_NEW), {}), observe};
}

}  // namespace litmus
