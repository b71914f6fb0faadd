#include "gpcs.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/error.h"

std::vector<std::uint32_t> gpcs_of(const std::vector<std::vector<std::uint32_t>>& joined, std::uint32_t sms) {
  std::vector<std::uint32_t> first(sms);  // of the set: an SM no greater than this one, until it is its own
  std::iota(first.begin(), first.end(), 0U);
  const auto find = [&](std::uint32_t sm) {
    if (sm >= sms) throw bench::Error("a block ran on SM {} of {}", sm, sms);
    while (first[sm] != sm) sm = first[sm];
    return sm;
  };
  for (const std::vector<std::uint32_t>& cluster : joined) {
    for (const std::uint32_t sm : cluster) {
      const auto [low, high] = std::minmax({find(sm), find(cluster.front())});
      first[high] = low;
    }
  }
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> gpcs;
  for (std::uint32_t sm = 0; sm < sms; ++sm)
    gpcs.push_back(numbers.try_emplace(find(sm), static_cast<std::uint32_t>(numbers.size())).first->second);
  return gpcs;
}
