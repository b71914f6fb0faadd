#include "launch.h"

#include <string_view>

#include "core/experiment/access_model.h"
#include "core/experiment/verify.h"
#include "exp01_kernels.h"

namespace {

using bench::Buffer;
using bench::kWarpLanes;
using bench::Launch;
using bench::Subject;
using bench::Workbench;

constexpr std::uint32_t kChains[] = {1, 10, 100, 1000};

std::unique_ptr<Subject> set_up_launch(Workbench& bench, const char* stem, std::uint32_t chain, bench::SubmitMode mode) {
  const bool counts = std::string_view(stem) == "increment";
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp01(), stem),
                                 .entry = stem,
                                 .block_x = kWarpLanes,
                                 .buffers = counts ? 1U : 0U,
                                 .params_bytes = 0});
  if (!counts) {
    bench.nothing_to_compare();
    return bench.device().prepare(launch, {.mode = mode});
  }
  Buffer& counter = bench.output("counter", kWarpLanes);
  launch.buffers = {&counter};
  bench.device().fill(counter, 0, kWarpLanes * sizeof(std::uint32_t), 0);
  bench.device().run(launch);
  auto subject = bench.device().prepare(launch, {.mode = mode});
  // One chain through the very submission that will be timed: every launch must have seen its predecessor's store.
  subject->time_host(chain);
  bench::verify<std::uint32_t>(bench, counter, kWarpLanes, bench::kGuardWords, [&](std::uint64_t) { return 1 + chain; });
  // The same chain once more, from the count that its first launch found.
  bench.makes_outputs_anew([&bench, &counter] { bench.device().fill(counter, 0, kWarpLanes * sizeof(std::uint32_t), 1); }, {},
                           chain);
  return subject;
}

// N launches, each needing the one before, submitted at once. What is comparable is paired: what the host does anew for every
// submission (a stream; a command buffer recorded again), and what it only replays (a graph; a command buffer recorded once).
bench::Case launch_case(const char* variant, const char* stem, std::uint32_t chain, bench::SubmitMode mode) {
  bench::Case result = bench::twin(variant, {{"block", kWarpLanes}, {"chain", chain}},
                                   [=](Workbench& bench) { return set_up_launch(bench, stem, chain, mode); });
  result.sides.front().worded = [mode](const bench::Api& api) { return bench::Values{{"mode", word_of(mode, api)}}; };
  result.elements = kWarpLanes;
  result.fixed_batch = chain;
  result.host_samples = 50;
  return result;
}

}  // namespace

std::vector<bench::Case> launch_cases() {
  std::vector<bench::Case> list;
  bench::Case stamps = bench::twin("stamp_pair", {}, [](Workbench& bench) {
    bench.nothing_to_compare();
    return bench.device().prepare(bench::Nothing{}, {});
  });
  stamps.fixed_batch = 1;
  stamps.host_samples = 0;
  list.push_back(stamps);
  for (const bench::SubmitMode mode : {bench::SubmitMode::kEach, bench::SubmitMode::kReplay}) {
    for (const std::uint32_t chain : kChains) {
      list.push_back(launch_case("empty", "empty", chain, mode));
      list.push_back(launch_case("chain", "increment", chain, mode));
    }
  }
  return list;
}
