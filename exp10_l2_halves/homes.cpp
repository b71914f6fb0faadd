#include "homes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/experiment/verify.h"
#include "exp10_kernels.h"
#include "halves.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Launch;
using bench::Workbench;

constexpr std::uint32_t kBoth = 2;  // in place of a half or a home
constexpr std::uint32_t kSample = 256;
constexpr std::uint32_t kRounds = 4;           // of which each latency is the least
constexpr std::uint32_t kFindersPerSm = 4;     // blocks, so that every SM runs some
constexpr std::uint32_t kBlocksPerSm = 8;      // 8 x 256 threads fill an SM
constexpr std::size_t kHead = 64;              // granules whose homes are told
constexpr std::uint64_t kLeast = 1ULL << 20;   // floats of a buffer: 4 MiB
constexpr std::uint64_t kWindow = 1ULL << 23;  // floats of a buffer of 32 MiB, 14 of which stay in the L2

struct HomeCase {
  bool loads;
  std::uint32_t half;
  std::uint32_t home;
  std::uint64_t floats;  // of the buffer
  std::uint32_t turns;   // how often the list is gone through
  bench::Memory memory = bench::Memory::kOwn;
  std::uint32_t granules() const { return static_cast<std::uint32_t>(floats / EXP10_GRANULE_WORDS); }
  std::uint32_t listed() const { return granules() / 16 * 7; }  // as many whatever the home: 45 % each suffice
};

template <class Word>
Buffer& table(Workbench& bench, const char* slot, const std::vector<Word>& words) {
  Buffer& buffer = bench.output(slot, words.size());
  bench.device().upload(buffer, 0, std::as_bytes(std::span(words)));
  return buffer;
}

const bench::Kernel& kernel_of(Workbench& bench, const char* stem, std::uint32_t block, std::uint32_t buffers) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp10(), stem),
                       .entry = stem,
                       .block_x = block,
                       .buffers = buffers,
                       .params_bytes = sizeof(HomesParams)});
}

// Cycles of an access, row by row: the SM s is of row rows[s]. Leaves `data` as it is.
std::vector<double> latencies(Workbench& bench, const bench::Kernel& find, Buffer& data, const std::vector<std::uint32_t>& rows,
                              HomesParams params) {
  const std::size_t count = *std::max_element(rows.begin(), rows.end()) + std::size_t{1};
  Buffer& tickets = bench.output("tickets", count);
  Buffer& cycles = bench.output("cycles", count * params.count);
  const Launch launch = {&find,
                         {params.sms * kFindersPerSm, 1, 1},
                         {&data, &table(bench, "rows", rows), &tickets, &cycles},
                         bench::params_bytes(params)};
  std::vector<std::uint32_t> least(count * params.count, bench::kPoison);
  std::vector<std::uint32_t> found(least.size());
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    bench.device().fill(tickets, 0, count * sizeof(std::uint32_t), 0);
    bench.device().run(launch);
    bench.device().download(cycles, 0, std::as_writable_bytes(std::span(found)));
    std::transform(found.begin(), found.end(), least.begin(), least.begin(), [](auto a, auto b) { return std::min(a, b); });
  }
  if (std::find(least.begin(), least.end(), bench::kPoison) != least.end())
    throw bench::Skip("not every SM ran a block of find_homes");
  std::vector<double> result;
  for (const std::uint32_t one : least) result.push_back(static_cast<double>(one) / EXP10_LINES);
  return result;
}

struct Found {
  Halves halves;                    // of the SMs, by a sample of the granules
  std::vector<std::uint32_t> home;  // of each granule
};

// By the buffer's id and its granules: an allocation stays where it is.
using Known = std::map<std::pair<std::uint64_t, std::uint32_t>, Found>;

Found find(Workbench& bench, Buffer& data, std::uint32_t granules) {
  const bench::Kernel& kernel = kernel_of(bench, "find_homes", 32, 4);
  const std::uint32_t sms = bench.device().info().multiprocessors;
  std::vector<std::uint32_t> alone(sms);
  for (std::uint32_t sm = 0; sm < sms; ++sm) alone[sm] = sm;
  const HomesParams sample = {kSample, granules, granules / kSample | 1, sms, 0};
  Found found = {split_halves(latencies(bench, kernel, data, alone, sample), sms), {}};
  if (!found.halves.why_not.empty()) throw bench::Skip("{}", found.halves.why_not);
  const HomesParams all = {granules, granules, 1, sms, 0};
  found.home = homes_of(latencies(bench, kernel, data, found.halves.half, all), found.halves);
  return found;
}

// The first granules of the home; of both, the first of each.
std::vector<std::uint32_t> list_of(const HomeCase& the_case, const std::vector<std::uint32_t>& home) {
  const std::uint32_t each = the_case.home == kBoth ? the_case.listed() / 2 : the_case.listed();
  std::uint32_t left[2] = {the_case.home != 1 ? each : 0, the_case.home != 0 ? each : 0};
  std::vector<std::uint32_t> list;
  for (std::uint32_t granule = 0; granule < home.size(); ++granule) {
    if (left[home[granule]] == 0) continue;
    --left[home[granule]];
    list.push_back(granule);
  }
  if (list.size() != the_case.listed())
    throw bench::Skip("of {} granules of 4 KiB {} lie where {} are wanted", home.size(), list.size(), the_case.listed());
  return list;
}

// 1 for each SM that works: of either half as many as the smaller has, so that two halves differ in nothing else; of both, all.
std::vector<std::uint32_t> runs_of(const HomeCase& the_case, const std::vector<std::uint32_t>& half) {
  const auto ones = std::count(half.begin(), half.end(), 1U);
  auto left = std::min(ones, std::ssize(half) - ones);
  std::vector<std::uint32_t> runs;
  for (const std::uint32_t one : half) runs.push_back(the_case.half == kBoth || (one == the_case.half && left-- > 0) ? 1 : 0);
  return runs;
}

std::uint32_t sum_of_words(const std::vector<std::uint32_t>& list) {
  std::atomic<std::uint32_t> sum = 0;
  bench::parallel_for(list.size(), 64, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint32_t part = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      for (std::uint32_t word = 0; word < EXP10_GRANULE_WORDS; ++word)
        part += incompressible_word(list[i] * EXP10_GRANULE_WORDS + word);
    }
    sum += part;
  });
  return sum;
}

// Each thread's sum is of what it happened to take; that of all is known.
void verify_sums(Workbench& bench, const Buffer& sums, std::uint32_t threads, std::uint32_t expected) {
  std::vector<std::uint32_t> found(threads);
  bench.device().download(sums, 0, std::as_writable_bytes(std::span(found)));
  const std::uint32_t sum = std::accumulate(found.begin(), found.end(), 0U);
  if (sum != expected) throw bench::Error("wrong output: the words that were read sum up to {}, not {}", sum, expected);
}

bench::Values measured(const HomeCase& the_case, const Found& found) {
  const Halves& halves = found.halves;
  const std::vector<std::uint32_t> runs = runs_of(the_case, halves.half);
  const auto of_home =
      the_case.home == kBoth ? std::ssize(found.home) : std::count(found.home.begin(), found.home.end(), the_case.home);
  const auto of_half = [&](const std::array<double, 2>& cycles) {
    return the_case.half == kBoth ? (cycles[0] + cycles[1]) / 2 : cycles[the_case.half];
  };
  const std::span<const std::uint32_t> head = std::span(found.home).first(std::min(found.home.size(), kHead));
  return {{"half_sms", std::accumulate(runs.begin(), runs.end(), 0U)},
          {"home_share", static_cast<double>(of_home) / static_cast<double>(found.home.size())},
          {"near_cycles", of_half(halves.near)},
          {"far_cycles", of_half(halves.far)},
          {"half_by_sm", fmt::format("{}", fmt::join(halves.half, " "))},
          {"home_by_granule", fmt::format("{}", fmt::join(head, " "))}};
}

// Buffer, halves and homes, the list, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const HomeCase& the_case, Known& known) {
  constexpr std::uint32_t kBlock = EXP10_GRANULE_VECTORS;
  const bench::Kernel& store = kernel_of(bench, "home_store", kBlock, 4);
  Buffer& data = bench.output("output", the_case.floats, the_case.memory);
  const std::pair key(data.id(), the_case.granules());
  auto place = known.find(key);
  if (place == known.end()) place = known.emplace(key, find(bench, data, the_case.granules())).first;
  const Found& found = place->second;
  const std::vector<std::uint32_t> list = list_of(the_case, found.home);
  std::vector<std::uint32_t> visits;
  for (std::uint32_t turn = 0; turn < the_case.turns; ++turn) visits.insert(visits.end(), list.begin(), list.end());
  const std::vector<std::uint32_t> runs = runs_of(the_case, found.halves.half);

  const auto sms = static_cast<std::uint32_t>(runs.size());
  // The blocks on other SMs end at once, and their slots take more blocks: twice as many, so that these SMs are filled, too.
  const std::uint32_t blocks = sms * kBlocksPerSm * (the_case.half == kBoth ? 1 : 2);
  Launch launch = {&store,
                   {blocks, 1, 1},
                   {&data, &table(bench, "granules", visits), &table(bench, "runs", runs),
                    &table(bench, "state", std::vector<std::uint32_t>{0, 0})},
                   bench::params_bytes(HomesParams{static_cast<std::uint32_t>(visits.size()), the_case.granules(), 1, sms, 0})};
  bench.device().run(launch);
  std::vector<bool> stored(found.home.size());
  for (const std::uint32_t granule : list) stored[granule] = true;
  bench::Checksum of_list;  // each process finds its own homes
  of_list.add(0, list);
  const std::string reference = fmt::format("{} granules: {}", list.size(), of_list.text());
  bench::verify<std::uint32_t>(bench, reference, data, the_case.floats, bench::kGuardWords, [&](std::uint64_t i) {
    return stored[i / EXP10_GRANULE_WORDS] ? incompressible_word(static_cast<std::uint32_t>(i)) : bench::kPoison;
  });
  if (the_case.loads) {
    const Launch stores = launch;
    const std::uint32_t threads = blocks * kBlock;
    const std::uint32_t expected = sum_of_words(list) * the_case.turns;
    Buffer& sums = bench.output("sums", threads);
    launch.kernel = &kernel_of(bench, "home_load", kBlock, 5);
    launch.buffers.push_back(&sums);
    bench.device().run(launch);
    const auto check = [&bench, &sums, threads, expected] { verify_sums(bench, sums, threads, expected); };
    check();
    // The words that it loads are an output, too: they are stored anew, and then loaded by what was timed.
    const auto restore = [&bench, stores, &sums, threads] {
      bench.device().run(stores);
      bench.device().fill(sums, 0, std::uint64_t{threads} * sizeof(std::uint32_t), bench::kPoison);
    };
    bench.makes_outputs_anew(restore, check);
  } else {
    bench.makes_outputs_anew();
  }
  return {bench.device().prepare(launch, {}), [the_case, found] { return measured(the_case, found); }};
}

std::string feature_of(const HomeCase& the_case, bool in_l2) {
  const auto name = [](std::uint32_t side) { return side == kBoth ? std::string("both") : fmt::format("{}", side); };
  return fmt::format("half_{}_home_{}{}", name(the_case.half), name(the_case.home), in_l2 ? "_in_l2" : "");
}

bench::Case make_case(const HomeCase& one, bool in_l2, const std::shared_ptr<Known>& known) {
  bench::Case twin = bench::twin(
      one.loads ? "home_load" : "home_store",
      {{"block", EXP10_GRANULE_VECTORS}, {"feature", feature_of(one, in_l2)}, {"memory", bench::to_string(one.memory)}},
      [one, known](Workbench& bench) { return set_up(bench, one, *known); });
  twin.footprint_bytes = std::uint64_t{one.listed()} * EXP10_GRANULE_WORDS * sizeof(std::uint32_t);
  twin.useful_bytes = twin.footprint_bytes * one.turns;
  twin.elements = twin.useful_bytes / sizeof(std::uint32_t);
  return twin;
}

}  // namespace

std::vector<bench::Case> home_cases(std::uint64_t floats) {
  const std::uint64_t largest = std::max(std::bit_floor(floats), kLeast);
  const auto known = std::make_shared<Known>();
  std::vector<bench::Case> cases;
  for (const bool loads : {false, true}) {
    for (const bool in_l2 : {false, true}) {
      const std::uint64_t buffer = in_l2 ? std::min(largest, kWindow) : largest;
      for (const std::uint32_t half : {0U, 1U, kBoth}) {
        for (const std::uint32_t home : {0U, 1U, kBoth}) {
          const HomeCase one = {loads, half, home, buffer, static_cast<std::uint32_t>(largest / buffer)};
          cases.push_back(make_case(one, in_l2, known));
        }
      }
    }
  }
  cases.push_back(make_case({false, kBoth, kBoth, largest, 1, bench::Memory::kFromCuda}, false, known));
  return cases;
}

std::vector<bench::Column> home_columns() {
  using bench::Column;
  return {
      Column::integer("half_sms", "SMs", "that store or load: of either half as many as the smaller has, or all of both")
          .optional(),
      Column::real("home_share", "", "of the buffer's granules of 4 KiB: those of the home that is stored to or loaded from")
          .optional(),
      Column::real("near_cycles", "cycles", "that an atomic of that half takes in its own home in the L2").optional(),
      Column::real("far_cycles", "cycles", "that an atomic of that half takes in the other home in the L2").optional(),
      Column::text("half_by_sm", "the half of SM 0, 1, ...: SM 0's is 0").optional(),
      Column::text("home_by_granule", "the home of the buffer's first 64 granules: that of SM 0's half is 0").optional()};
}
