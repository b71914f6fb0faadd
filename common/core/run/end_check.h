// How often an output is made anew after the samples, and what that costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace bench {

// Of the time that the sampling of this side took.
inline constexpr double kRemakingPart = 0.02;

// Looks once, and again while the looks so far and one more, as long as the longest of them, stay within kRemakingPart of
// `sampling_s`. So what is bounded is this: a side's looks take at most 2 % of its sampling, or they are one look. A run's end
// check stays below 3 % of the run wherever one look takes less than 3 % of its side's sampling; one look is what no side is
// spared, however long it takes. `now` tells seconds. Returns how many looks there were; what `look` throws goes on.
inline std::uint32_t look_again(double sampling_s, const std::function<void()>& look, const std::function<double()>& now) {
  const double began = now();
  double longest = 0;
  for (std::uint32_t looks = 1;; ++looks) {
    const double start = now();
    look();
    const double end = now();
    longest = std::max(longest, end - start);
    if (end - began + longest > kRemakingPart * sampling_s) return looks;
  }
}

}  // namespace bench
