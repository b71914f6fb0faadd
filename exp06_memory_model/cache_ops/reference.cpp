#include "reference.h"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <span>

#include "core/verify.h"

namespace {

constexpr std::uint32_t kStream = 0;  // the inputs' numbers
constexpr std::uint32_t kSet = 1;

std::uint32_t word_of(const bench::Workbench& bench, std::uint32_t input, std::uint64_t index) {
  return std::bit_cast<std::uint32_t>(bench.input_value(input, index));
}

std::uint32_t streamed_sum(const bench::Workbench& bench, const Cell& cell, std::uint64_t thread) {
  std::uint32_t sum = 0;
  for (std::uint64_t n = 0; n < cell.params.stream_words; ++n) sum += word_of(bench, kStream, thread + n * cell.threads());
  return sum;
}

std::uint32_t reused_sum(const bench::Workbench& bench, const Cell& cell, std::uint64_t thread) {
  const CacheParams& params = cell.params;
  const auto block = static_cast<std::uint32_t>(thread / cell.block);
  const auto lane = static_cast<std::uint32_t>(thread % cell.block);
  std::uint32_t sum = 0;
  for (std::uint32_t round = 0; round < params.rounds; ++round) {
    const std::uint32_t at = EXP06_STREAM_AT(block, cell.grid, round, params);
    for (std::uint32_t i = lane; i < params.stream_words; i += cell.block) {
      sum += word_of(bench, kStream, (at + i) & params.stream_mask);
    }
    const std::uint32_t part = EXP06_PART(block, cell.grid, round, params);
    for (std::uint32_t i = lane; i < params.reuse_words; i += cell.block) {
      sum += word_of(bench, kSet, std::uint64_t{part} * params.reuse_words + i);
    }
  }
  return sum;
}

}  // namespace

std::uint64_t out_words(const Cell& cell) {
  if (cell.kind == Kind::kFill) return cell.accesses();
  return cell.threads() + (cell.has_reuse() ? cell.grid : 0);
}

void check(bench::Workbench& bench, const bench::Buffer& out, const Cell& cell) {
  const std::uint64_t count = cell.kind == Kind::kFill ? cell.accesses() : cell.threads();
  // The cycles of a reuse set's visits lie where the guard would be; nobody can know them.
  const std::uint64_t guard = cell.has_reuse() ? 0 : bench::kGuardWords;
  bench::verify<std::uint32_t>(bench.device(), out, count, guard, [&](std::uint64_t index) {
    if (cell.kind == Kind::kFill) return static_cast<std::uint32_t>(EXP06_FILLED(static_cast<std::uint32_t>(index)));
    return cell.has_reuse() ? reused_sum(bench, cell, index) : streamed_sum(bench, cell, index);
  });
}

std::vector<std::string> measure(bench::Workbench& bench, const bench::Buffer& out, const Cell& cell) {
  if (!cell.has_reuse()) return {"", ""};
  std::vector<std::uint32_t> cycles(cell.grid);
  bench.device().download(out, cell.threads() * 4, std::as_writable_bytes(std::span(cycles)));
  const double visits = static_cast<double>(cell.grid) * (cell.params.rounds - 1);  // the first round is not counted
  const double mean = std::accumulate(cycles.begin(), cycles.end(), 0.0) / visits;
  return {fmt::format("{:.1f}", mean), fmt::format("{:.3f}", cell.params.reuse_words * 4 / mean)};
}
