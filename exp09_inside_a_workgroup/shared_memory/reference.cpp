#include "reference.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/experiment/verify.h"

namespace {

// An element's words, weighted as fold() weighs them.
constexpr std::array<std::uint32_t, 4> kWeightsOfWords = {1, 3, 5, 7};

std::uint32_t fold(std::uint32_t e, std::uint32_t words) {
  std::uint32_t sum = 0;
  for (std::uint32_t c = 0; c < words; ++c) sum += kWeightsOfWords[c] * table_word(e, c);
  return sum;
}

// Each of its EXP09_SHIFTS elements as often as the others.
std::uint32_t sum_of_reads(std::uint32_t start, std::uint32_t words, std::uint32_t turns) {
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < EXP09_SHIFTS; ++k) sum += fold(start + k, words);
  return sum * (turns * EXP09_UNROLL / EXP09_SHIFTS);
}

// By thread of a block: the table after the stores.
std::vector<std::uint32_t> sums_of_stored(const Config& config) {
  const std::uint32_t words = config.bytes / 4;
  std::uint32_t weight = 0;
  for (std::uint32_t c = 0; c < words; ++c) weight += kWeightsOfWords[c];
  std::vector<std::uint32_t> table(EXP09_TABLE);
  for (std::uint32_t e = 0; e < EXP09_TABLE; ++e) table[e] = fold(e, words);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t start = first_element(lane, config.stride, config.pad);
    for (std::uint32_t e = start; e < start + EXP09_SHIFTS; ++e) table[e] = weight * e;
  }
  std::vector<std::uint32_t> sums(config.block());
  for (std::uint32_t e = 0; e < EXP09_TABLE; ++e) sums[e % config.block()] += table[e];
  return sums;
}

void check_channels(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const std::uint64_t slice = std::uint64_t{config.side()} * config.side();
  const bool rows = config.weights->glsl == EXP09_ROWS;
  const bool columns = config.weights->glsl == EXP09_COLUMNS;
  // Products and their sums are rounded in another order and with or without fused multiplication: 128 of them.
  constexpr double kTolerance = 128 * 0x1p-23 * 64;
  bench::verify<float>(
      bench, fmt::format("channels {} {}", config.weights->name, slice), out, slice * EXP09_HALF, bench::kGuardWords,
      [&](std::uint64_t i) {
        const std::uint64_t row = i / slice;
        double sum = 0;
        for (std::uint64_t c = 0; c < EXP09_CHANNELS; ++c) {
          const std::uint64_t weight = rows ? row * EXP09_CHANNELS + c : columns ? c * EXP09_HALF + row : c;
          sum += double{bench.input_value(0, c * slice + i % slice)} * double{bench.input_value(1, weight)};
        }
        return static_cast<float>(sum);
      },
      kTolerance);
}

}  // namespace

std::uint64_t out_words(const Config& config) {
  if (config.kind == Kind::kChannels) return std::uint64_t{config.blocks()} * EXP09_HALF;
  return std::uint64_t{config.blocks()} * config.block();
}

void check(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  const std::uint32_t block = config.block();
  std::vector<std::uint32_t> by_thread;
  switch (config.kind) {
    case Kind::kRead:
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        by_thread.push_back(sum_of_reads(first_element(lane, config.stride, config.pad), config.bytes / 4, config.turns()));
      break;
    case Kind::kStructs:
      for (std::uint32_t lane = 0; lane < 32; ++lane) by_thread.push_back(sum_of_reads(lane, config.fields, config.turns()));
      break;
    case Kind::kWrite:
      by_thread = sums_of_stored(config);
      break;
    case Kind::kChannels:
      return check_channels(bench, out, config);
    case Kind::kCapacity: {
      const std::uint32_t words = config.asked_bytes / 4;
      bench::verify<std::uint32_t>(bench, fmt::format("capacity {} {}", words, config.blocks()), out, out_words(config),
                                   bench::kGuardWords, [&](std::uint64_t index) {
                                     const auto group = static_cast<std::uint32_t>(index / block);
                                     std::uint32_t sum = 0;
                                     for (auto i = static_cast<std::uint32_t>(index % block); i < words; i += block)
                                       sum += incompressible_word(words - 1 - i + group);
                                     return sum;
                                   });
      return;
    }
  }
  const std::string reference = fmt::format("{} {} {} {} {} {} {}", config.variant(), config.bytes, config.stride, config.pad,
                                            config.fields, config.turns(), config.blocks());
  bench::verify<std::uint32_t>(bench, reference, out, out_words(config), bench::kGuardWords,
                               [&](std::uint64_t index) { return by_thread[index % block % by_thread.size()]; });
}
