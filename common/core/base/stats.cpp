#include "core/base/stats.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace bench {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& values, double p) {
  if (values.empty()) throw Error("a quantile of no samples was asked for");
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

std::optional<Interval> ci95_of_sorted(const std::vector<double>& values) {
  const std::size_t n = values.size();
  // log of C(n, i) / 2^n, so that n in the thousands neither over- nor underflows.
  const auto log_probability = [n](std::size_t i) {
    const auto dn = static_cast<double>(n);
    const auto di = static_cast<double>(i);
    return std::lgamma(dn + 1) - std::lgamma(di + 1) - std::lgamma(dn - di + 1) - dn * std::log(2.0);
  };
  std::size_t k = 0;
  double tail = 0;  // P(Binomial(n, 1/2) < k + 1)
  while (k < n) {
    tail += std::exp(log_probability(k));
    if (tail > 0.025) break;
    ++k;
  }
  if (k == 0) return std::nullopt;
  return Interval{values[k - 1], values[n - k]};
}

}  // namespace

double quantile(std::span<const double> values, double p) { return quantile_of_sorted(sorted(values), p); }
double median(std::span<const double> values) { return quantile(values, 0.5); }

std::size_t distinct_values(std::span<const double> values) {
  std::vector<double> copy = sorted(values);
  return static_cast<std::size_t>(std::unique(copy.begin(), copy.end()) - copy.begin());
}

Summary summarize(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  Summary summary;
  summary.samples = ordered.size();
  summary.median = quantile_of_sorted(ordered, 0.5);
  summary.ci95 = ci95_of_sorted(ordered);
  summary.min = ordered.front();
  summary.p05 = quantile_of_sorted(ordered, 0.05);
  summary.p95 = quantile_of_sorted(ordered, 0.95);
  return summary;
}

std::optional<Ratio> ratio(const Summary& numerator, const Summary& denominator) {
  if (!numerator.ci95 || !denominator.ci95) return std::nullopt;
  if (!(numerator.ci95->lo > 0) || !(denominator.ci95->lo > 0)) return std::nullopt;
  const double a = std::log(numerator.median);
  const double b = std::log(denominator.median);
  const double below = std::hypot(a - std::log(numerator.ci95->lo), std::log(denominator.ci95->hi) - b);
  const double above = std::hypot(std::log(numerator.ci95->hi) - a, b - std::log(denominator.ci95->lo));
  return Ratio{std::exp(a - b), std::exp(a - b - below), std::exp(a - b + above)};
}

}  // namespace bench
