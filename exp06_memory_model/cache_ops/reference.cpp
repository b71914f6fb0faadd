#include "reference.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <span>

#include "core/experiment/verify.h"

namespace {

constexpr std::uint32_t kStream = 0;  // the inputs' numbers
constexpr std::uint32_t kSet = 1;

std::uint32_t word_of(const bench::Workbench& bench, std::uint32_t input, std::uint64_t index) {
  return std::bit_cast<std::uint32_t>(bench.input_value(input, index));
}

std::uint32_t streamed_sum(const bench::Workbench& bench, const Config& config, std::uint64_t thread) {
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < config.params.stream_words; ++n) sum += word_of(bench, kStream, thread + n * config.threads());
  return sum;
}

std::uint32_t reused_sum(const bench::Workbench& bench, const Config& config, std::uint64_t thread) {
  const CacheParams& params = config.params;
  const auto block = static_cast<std::uint32_t>(thread / config.block);
  const auto lane = static_cast<std::uint32_t>(thread % config.block);
  std::uint32_t sum = 0;
  for (std::uint32_t round = 0; round < params.rounds; ++round) {
    const std::uint32_t at = EXP06_STREAM_AT(block, config.grid, round, params);
    for (std::uint32_t i = lane; i < params.stream_words; i += config.block) {
      sum += word_of(bench, kStream, (at + i) & params.stream_mask);
    }
    const std::uint32_t part = EXP06_PART(block, config.grid, round, params);
    for (std::uint32_t i = lane; i < params.reuse_words; i += config.block) {
      sum += word_of(bench, kSet, std::uint64_t{part} * params.reuse_words + i);
    }
  }
  return sum;
}

// All that those sums depend on.
std::string reused(const Config& config) {
  const CacheParams& params = config.params;
  return fmt::format("reused, {} blocks of {}, {} rounds of {} + {} words, parts {} apart, {:#x}", config.grid, config.block,
                     params.rounds, params.stream_words, params.reuse_words, params.shift, params.stream_mask);
}

}  // namespace

std::uint64_t out_words(const Config& config) {
  if (config.kind == Kind::kFill) return config.accesses();
  return config.threads() + (config.has_reuse() ? config.grid : 0);
}

void check(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const std::uint64_t count = config.kind == Kind::kFill ? config.accesses() : config.threads();
  // The cycles of a reuse set's visits lie where the guard would be; nobody can know them.
  const std::uint64_t guard = config.has_reuse() ? 0 : bench::kGuardWords;
  const auto compare = [&](const std::string& reference, const auto& expected) {
    bench::verify<std::uint32_t>(bench, reference, out, count, guard, expected);
  };
  if (config.kind == Kind::kFill) {
    compare("filled", [](std::uint64_t i) { return std::uint32_t{EXP06_FILLED(static_cast<std::uint32_t>(i))}; });
  } else if (config.has_reuse()) {
    compare(reused(config), [&](std::uint64_t thread) { return reused_sum(bench, config, thread); });
  } else {
    compare(fmt::format("streamed, {} words by {} threads", config.params.stream_words, config.threads()),
            [&](std::uint64_t thread) { return streamed_sum(bench, config, thread); });
  }
}

bench::Values measure(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  if (!config.has_reuse()) return {};
  std::vector<std::uint32_t> cycles(config.grid);
  bench.device().download(out, config.threads() * 4, std::as_writable_bytes(std::span(cycles)));
  const double visits = static_cast<double>(config.grid) * (config.params.rounds - 1);  // the first round is not counted
  const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / visits;
  return bench.if_counted({{"reuse_cycles", mean}, {"reuse_bytes_per_cycle", config.params.reuse_words * 4 / mean}});
}

std::vector<bench::Column> measured_columns() {
  using bench::Column;
  return {Column::real("reuse_cycles", "cycles", "of a visit to the reuse set: mean over blocks and rounds").optional(),
          Column::real("reuse_bytes_per_cycle", "bytes/cycle", "of a block's visit").optional()};
}
