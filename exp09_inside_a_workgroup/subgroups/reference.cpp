#include "reference.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"

void operate(std::uint32_t operation, bool even, std::uint32_t seed, std::span<std::uint32_t> lanes) {
  const auto size = static_cast<std::uint32_t>(lanes.size());
  const std::vector<std::uint32_t> before(lanes.begin(), lanes.end());
  const std::uint32_t step = even ? 2 : 1;
  const auto over = [&](std::uint32_t first, std::uint32_t last, std::uint32_t start, const auto& combine) {
    for (std::uint32_t l = first; l < last; l += step) start = combine(start, before[l], l);
    return start;
  };
  const auto sum = [](std::uint32_t so_far, std::uint32_t value, std::uint32_t) { return so_far + value; };
  for (std::uint32_t l = 0; l < size; l += step) {
    const std::uint32_t value = before[l];
    const std::uint32_t made = [&] {
      switch (operation) {
        case EXP09_NONE:
          return value ^ seed;
        case EXP09_SHUFFLE:
          return before[value % size];
        case EXP09_SHUFFLE_XOR:
        case EXP09_QUAD_SWAP:
          return before[l ^ 1U];
        case EXP09_SHUFFLE_UP:
          return l == 0 ? value : before[l - 1];
        case EXP09_ROTATE:
          return before[(l + 1) % size];
        case EXP09_BROADCAST:
          return before[0];
        case EXP09_BALLOT:
          return over(0, size, 0, [](std::uint32_t bits, std::uint32_t v, std::uint32_t k) { return bits | (v & 1U) << k; });
        case EXP09_ALL:
          return over(0, size, 1, [](std::uint32_t all, std::uint32_t v, std::uint32_t) { return (v & 31U) == 31 ? 0 : all; }) +
                 value;
        case EXP09_ANY:
          return over(0, size, 0, [](std::uint32_t any, std::uint32_t v, std::uint32_t) { return (v & 31U) == 31 ? 1 : any; }) +
                 value;
        case EXP09_ADD:
        case EXP09_ADD_SHUFFLES:
          return over(0, size, 0, sum);
        case EXP09_ADD_FLOAT:
          return over(0, size, 0, [](std::uint32_t s, std::uint32_t v, std::uint32_t) { return s + (v & EXP09_SMALL); });
        case EXP09_MIN:
          return over(0, size, ~0U, [](std::uint32_t m, std::uint32_t v, std::uint32_t) { return std::min(m, v); });
        case EXP09_AND:
          return over(0, size, ~0U, [](std::uint32_t m, std::uint32_t v, std::uint32_t k) { return m & (v | ~(1U << k)); }) ^
                 value;
        case EXP09_EXCLUSIVE_ADD:
          return over(0, l, 0, sum);
        case EXP09_INCLUSIVE_ADD:
          return over(0, l + 1, 0, sum);
        case EXP09_CLUSTERED_ADD: {
          const std::uint32_t cluster = std::min(EXP09_CLUSTER, size);
          return over(l - l % cluster, l - l % cluster + cluster, 0, sum);
        }
        default:
          throw bench::Error("no operation {}", operation);
      }
    }();
    lanes[l] = made + l;
  }
}

std::vector<std::uint32_t> results(const Config& config, std::uint32_t subgroup, std::uint32_t seed) {
  std::vector<std::uint32_t> sums(subgroup);
  const std::uint32_t chains = config.rate ? EXP09_CHAINS : 1;
  for (std::uint32_t chain = 0; chain < chains; ++chain) {
    std::vector<std::uint32_t> lanes(subgroup);
    for (std::uint32_t l = 0; l < subgroup; ++l) lanes[l] = first_word(l, chain, seed);
    for (std::uint32_t step = 0; step < config.steps(); ++step) operate(config.operation->number, config.even, seed, lanes);
    for (std::uint32_t l = 0; l < subgroup; ++l) sums[l] += (chain + 1) * lanes[l];
  }
  return sums;
}
