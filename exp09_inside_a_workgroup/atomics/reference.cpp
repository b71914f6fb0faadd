#include "reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

// A half's bits as a number: IEEE 754, 5 bits of exponent, 10 of fraction; only 0 and normal ones come up.
double half(std::uint32_t bits) {
  if ((bits & 0x7fff) == 0) return 0;
  const auto exponent = static_cast<int>((bits >> 10) & 31) - 15;
  const double value = std::ldexp(1 + (bits & 1023) / 1024., exponent);
  return exponent == 16 ? std::numeric_limits<double>::quiet_NaN() : (bits & 0x8000) != 0 ? -value : value;
}

// Both halves' number; NaN where they differ.
double both_halves(std::uint32_t word) {
  const bool same = (word & 0xffff) == word >> 16;
  return same ? half(word & 0xffff) : std::numeric_limits<double>::quiet_NaN();
}

struct Group {
  std::span<const double> data;
  std::span<const double> returned;
};

// The same of every group.
struct Expected {
  std::vector<double> met;    // how often each address is
  std::vector<double> least;  // of each address; empty where no minimum is taken
};

std::vector<double> counts(const Config& config) {
  std::vector<double> met(config.addresses);
  const std::uint64_t operations = std::uint64_t{config.group_threads()} * config.steps;
  for (std::uint32_t op = 0; op < operations; ++op) ++met[EXP09_ADDRESS(op, config.addresses - 1)];
  return met;
}

std::vector<double> least(const Config& config, const std::vector<double>& met) {
  std::vector<double> result(config.addresses, static_cast<double>(std::numeric_limits<std::int64_t>::max()));
  const std::uint64_t operations = std::uint64_t{config.group_threads()} * config.steps;
  for (std::uint32_t op = 0; op < operations; ++op) {
    double& word = result[EXP09_ADDRESS(op, config.addresses - 1)];
    word = std::min(word, static_cast<double>(config.type == Type::kF16x2 ? EXP09_LEAST_HALF(op) : EXP09_LEAST(op)));
  }
  // An address that nobody met keeps what it had.
  const std::uint32_t first[2] = {first_word(config.op, config.type), first_word(config.op, config.type)};
  const double kept = numbers(std::span(first).first(bytes_of(config.type) / 4), config.type).front();
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = met[i] == 0 ? kept : std::min(result[i], kept);
  return result;
}

Expected expected_of(const Config& config) {
  Expected expected{counts(config), {}};
  if (config.op == Op::kMin) expected.least = least(config, expected.met);
  return expected;
}

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.); }

std::string compared(std::span<const double> found, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(found[i] == expected[i])) return fmt::format("address {}: found {}, expected {}", i, found[i], expected[i]);
  }
  return "";
}

// Every number that was brought is there once: the last one of each address in its word, all others, and the zeros that were
// there before, with a thread.
std::string exchanged(const Config& config, const std::vector<double>& met, const Group& group) {
  const double operations = static_cast<double>(config.group_threads()) * config.steps;
  for (std::size_t i = 0; i < met.size(); ++i) {
    const double found = group.data[i];
    const bool right = met[i] == 0 ? found == 0
                                   : found >= 1 && found <= operations && found == std::floor(found) &&
                                         EXP09_ADDRESS(static_cast<std::uint32_t>(found) - 1, config.addresses - 1) == i;
    if (!right) return fmt::format("address {}: found {}, which nobody brought there", i, found);
  }
  const double brought = operations * (operations + 1) / 2;
  const double there = sum_of(group.data) + sum_of(group.returned);
  return there == brought ? "" : fmt::format("the numbers' sum is {}, {} was brought", there, brought);
}

// Additions return 0, 1, 2, ... of each address, in some order.
std::string returned(const std::vector<double>& met, const Group& group) {
  double expected = 0;
  for (const double each : met) expected += each * (each - 1) / 2;
  const double found = sum_of(group.returned);
  return found == expected ? "" : fmt::format("what came back sums up to {}, expected {}", found, expected);
}

std::string wrong_of(const Config& config, const Expected& expected, const Group& group) {
  if (config.op == Op::kMin) return compared(group.data, expected.least);
  if (config.op == Op::kExchange) return exchanged(config, expected.met, group);
  std::string text = compared(group.data, expected.met);
  return text.empty() && config.used ? returned(expected.met, group) : text;
}

}  // namespace

std::vector<double> numbers(std::span<const std::uint32_t> words, Type type) {
  std::vector<double> result;
  result.reserve(words.size() / (bytes_of(type) / 4));
  for (std::size_t i = 0; i < words.size(); i += bytes_of(type) / 4) {
    const std::uint64_t wide = bytes_of(type) == 8 ? std::uint64_t{words[i + 1]} << 32 | words[i] : words[i];
    switch (type) {
      case Type::kI32:
        result.push_back(static_cast<std::int32_t>(words[i]));
        break;
      case Type::kI64:
        result.push_back(static_cast<double>(static_cast<std::int64_t>(wide)));
        break;
      case Type::kF32:
        result.push_back(std::bit_cast<float>(words[i]));
        break;
      case Type::kF64:
        result.push_back(std::bit_cast<double>(wide));
        break;
      case Type::kF16x2:
        result.push_back(both_halves(words[i]));
        break;
    }
  }
  return result;
}

std::uint32_t first_word(Op op, Type type) {
  if (op != Op::kMin) return 0;
  return type == Type::kF16x2 ? 0x7bff7bffU : 0x7fffffffU;  // 65504 twice; as 0x7fff they would be no numbers
}

std::string wrong(const Config& config, const Left& left) {
  const auto gave_up = std::count(left.turns.begin(), left.turns.end(), EXP09_GAVE_UP);
  if (gave_up != 0) return fmt::format("{} threads gave up after {} turns", gave_up, config.turns());
  const Expected expected = expected_of(config);
  for (std::uint32_t group = 0; group < config.groups(); ++group) {
    const std::size_t threads = config.group_threads();
    const std::span<const double> data(left.data);
    const std::span<const double> returned(left.returned);
    const Group one{data.subspan(std::size_t{group} * config.addresses, config.addresses),
                    config.used ? returned.subspan(group * threads, threads) : std::span<const double>()};
    if (const std::string text = wrong_of(config, expected, one); !text.empty()) {
      return config.shared ? fmt::format("block {}: {}", group, text) : text;
    }
  }
  return "";
}
