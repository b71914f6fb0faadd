#include "spans.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/experiment/verify.h"
#include "params.h"

namespace {

constexpr std::uint32_t kFarLonger = 1000;  // times: a software device's threads may be put aside for long

std::int64_t since(std::uint32_t origin, std::uint32_t tick) { return static_cast<std::int32_t>(tick - origin); }

}  // namespace

Span span_of(std::span<const std::uint32_t> words, std::uint32_t origin, std::uint32_t ticks) {
  Span all = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (std::size_t i = 0; i + 1 < words.size(); i += EXP08_STAY_WORDS) {
    const std::uint32_t stayed = words[i + 1] - words[i];
    const bool wrote = words[i] != bench::kPoison || words[i + 1] != bench::kPoison;
    if (!wrote || stayed < ticks || stayed / kFarLonger > ticks) {
      throw bench::Error("wrong output: block {} began at {} and ended at {}, and was to stay {} ticks", i / EXP08_STAY_WORDS,
                         words[i], words[i + 1], ticks);
    }
    all.begin = std::min(all.begin, since(origin, words[i]));
    all.end = std::max(all.end, since(origin, words[i + 1]));
  }
  return all;
}

double overlap(const Span& a, const Span& b) {
  const std::int64_t both = std::min(a.end, b.end) - std::max(a.begin, b.begin);
  return static_cast<double>(std::max<std::int64_t>(both, 0)) / static_cast<double>(std::min(a.length(), b.length()));
}

double left_after(const Span& a, const Span& b) {
  return std::clamp(static_cast<double>(a.end - b.end) / static_cast<double>(a.length()), 0.0, 1.0);
}
