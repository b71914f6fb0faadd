// Order statistics: the median and its confidence interval, ratios of medians. No distribution is assumed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace bench {

struct Interval {
  double lo = 0;
  double hi = 0;
};

// Quantile by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996); p in [0, 1]. The median is p = 0.5:
// the middle value, or the mean of the two middle values. Throws Error on an empty span.
double quantile(std::span<const double> values, double p);
double median(std::span<const double> values);

std::size_t distinct_values(std::span<const double> values);

struct Summary {
  std::size_t samples = 0;
  double median = 0;
  // Distribution-free 95 % confidence interval of the median: the order statistics X(k) and X(n+1-k) with the largest k for
  // which P(Binomial(n, 1/2) < k) <= 2.5 %. None below n = 6, where even [min, max] covers less than 95 %. Source: Conover,
  // Practical Nonparametric Statistics, 3.2.
  std::optional<Interval> ci95;
  double min = 0;
  double p05 = 0;
  double p95 = 0;
};
Summary summarize(std::span<const double> values);

// numerator.median / denominator.median with a 95 % interval: MOVER (Zou & Donner 2008) on the logarithms, which combines the
// two medians' intervals without assuming that they are symmetric. None if either interval is missing or a median is not
// positive.
struct Ratio {
  double value = 0;
  double lo = 0;
  double hi = 0;
};
std::optional<Ratio> ratio(const Summary& numerator, const Summary& denominator);

}  // namespace bench
