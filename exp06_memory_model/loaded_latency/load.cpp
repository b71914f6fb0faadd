#include "load.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/experiment/verify.h"

namespace {

// Rough figures of any GPU of the last years, for the bounds alone: a batch of loads, a slice of the wait, a step of the chase
// at its slowest, and how long after the chase's end the load may go on.
constexpr double kBatchNs = 800;
constexpr double kWaitNs = 40;
constexpr double kSlowestStepNs = 6000;
constexpr double kPollNs = 10000;

}  // namespace

LoadedParams Point::params() const {
  const double turn_ns = kBatchNs + kWaitNs * wait;
  LoadedParams params{};
  params.lines = lines();
  params.steps = steps;
  params.tiles = static_cast<std::uint32_t>(data_bytes / (std::uint64_t{16} * kBlock * unroll));
  params.wait = wait;
  params.turns = static_cast<std::uint32_t>(steps * kSlowestStepNs / turn_ns) + 1;
  const double cut_ns = wait < EXP06_CUT ? turn_ns : kWaitNs * EXP06_CUT;
  params.poll = std::max(1U, static_cast<std::uint32_t>(kPollNs / cut_ns));
  return params;
}

Load reported(const Point& point, std::span<const std::uint32_t> results) {
  const std::uint32_t limit = point.params().turns;
  Load load;
  load.chase_ns = results[1];
  for (std::uint64_t thread = 0; thread < point.threads(); ++thread) {
    const std::uint32_t turns = results[EXP06_RESULT_HEAD + 2 * thread];
    if (turns > limit || (point.must_last && turns == limit)) {
      throw bench::Error("thread {} of the load took {} turns: {} were to outlast the chase", thread, turns, limit);
    }
    load.bytes += std::uint64_t{turns} * point.unroll * 16;
  }
  return load;
}

std::vector<std::uint32_t> expected_results(const bench::Workbench& bench, const Point& point,
                                            std::span<const std::uint32_t> results, VectorSums& sums) {
  const std::vector<std::uint32_t>& by_vector = sums.of(bench, point.data_bytes / 16);
  const LoadedParams params = point.params();
  std::vector<std::uint32_t> expected(results.begin(), results.end());
  expected[0] = pointer_line(params.steps, params.lines);
  expected[2] = expected[3] = bench::kPoison;
  bench::parallel_for(point.streamers, 1, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t streamer = begin; streamer < end; ++streamer) {
      std::uint32_t* block = &expected[EXP06_RESULT_HEAD + 2 * streamer * kBlock];
      std::uint32_t most = 0;
      for (std::uint32_t t = 0; t < kBlock; ++t) {
        most = std::max(most, block[2 * t]);
        block[2 * t + 1] = 0;
      }
      for (std::uint32_t turn = 0; turn < most; ++turn) {
        const std::uint64_t tile = EXP06_TILE(static_cast<std::uint32_t>(streamer), point.streamers, turn, params);
        for (std::uint32_t u = 0; u < point.unroll; ++u) {
          const std::uint32_t* vectors = &by_vector[(tile * point.unroll + u) * kBlock];
          for (std::uint32_t t = 0; t < kBlock; ++t) block[2 * t + 1] += turn < block[2 * t] ? vectors[t] : 0;
        }
      }
    }
  });
  return expected;
}
