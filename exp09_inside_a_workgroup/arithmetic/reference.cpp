#include "reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/experiment/verify.h"

namespace {

// No function here is farther off than an 8-bit mantissa has it, but a sine of numbers far beyond the circle. Where a logarithm
// comes near 0, its absolute error counts.
constexpr double kGrossUlps = 0x1p15;
constexpr double kGrossError = 0x1p-18;
// A plain sum of 1024 numbers of one sign loses half a unit a term at most.
constexpr double kGrossSum = 1024;

// What figure(i) says of each of `count`, by several threads.
template <class Figure>
std::vector<double> of_each(std::uint64_t count, const Figure& figure) {
  constexpr std::uint64_t kGrain = 64;
  std::vector<double> each(count);
  bench::parallel_for(count, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) each[i] = figure(i);
  });
  return each;
}

double greatest(const std::vector<double>& figures) {
  return std::accumulate(figures.begin(), figures.end(), 0., [](double a, double b) { return std::max(a, b); });
}

bench::Values check_function(bench::Workbench& bench, std::span<const float> found, const Config& config) {
  const std::uint32_t number = config.function->number;
  // 1 where it was contracted, or units of the last place: summed up in the numbers' order, however many threads there were.
  const std::vector<double> each = of_each(found.size(), [&](std::uint64_t i) -> double {
    const float x = bench.input_value(0, i);
    const float y = bench.input_value(1, i);
    if (number == EXP09_CONTRACT) {
      const float product = x * y;
      const auto lost = static_cast<float>(double{x} * double{y} - double{product});
      if (found[i] != 0 && found[i] != lost)
        throw bench::Error("wrong output: [{}] found {}, expected 0 or {}", i, found[i], lost);
      return found[i] != 0 ? 1 : 0;
    }
    const double wanted = exact(number, x, y);
    const double off = ulps(found[i], wanted);
    // The hardware's sine is that of an angle that has been reduced in single precision.
    const bool is_off = number == EXP09_SIN_LARGE ? !(std::abs(found[i]) <= 1)
                                                  : !(off <= kGrossUlps || std::abs(double{found[i]} - wanted) <= kGrossError);
    if (is_off)
      throw bench::Error("wrong output: [{}] found {}, expected {}: {} units of the last place", i, found[i], wanted, off);
    return off;
  });
  const auto count = static_cast<double>(found.size());
  const double total = std::accumulate(each.begin(), each.end(), 0.);
  if (number == EXP09_CONTRACT) return {{"contracted_pct", 100.0 * total / count}};
  return {{"max_ulp", greatest(each)}, {"mean_ulp", total / count}};
}

bench::Values check_sum(bench::Workbench& bench, std::span<const float> found, const Config& config) {
  const std::vector<double> off = of_each(found.size(), [&](std::uint64_t thread) {
    double wanted = 0;
    for (std::uint32_t k = 0; k < config.terms(); ++k)
      wanted += std::abs(double{bench.input_value(0, std::uint64_t{k} * config.threads() + thread)});
    const double ulp = ulps(found[thread], wanted);
    if (!(ulp <= kGrossSum)) throw bench::Error("wrong output: [{}] found {}, expected {}", thread, found[thread], wanted);
    return ulp;
  });
  bench::Values values = {{"max_ulp", greatest(off)}};
  if (config.mode == "plain") return values;
  const std::vector<double> as_written = of_each(found.size(), [&](std::uint64_t thread) -> double {
    const auto index = static_cast<std::uint32_t>(thread);
    return found[thread] == compensated_sum(bench, index, config.threads(), config.terms()) ? 1 : 0;
  });
  const double written = std::accumulate(as_written.begin(), as_written.end(), 0.);
  return values.set("as_written_pct", 100.0 * written / static_cast<double>(found.size()));
}

}  // namespace

double exact(std::uint32_t function, float x, float y) {
  switch (function) {
    case EXP09_DIVIDE:
      return double{x} / double{y};
    case EXP09_SQRT:
      return std::sqrt(std::abs(double{x}));
    case EXP09_INVERSE_SQRT:
      return 1 / std::sqrt(std::abs(double{x}));
    case EXP09_EXP:
      return std::exp(double{x});
    case EXP09_LOG:
      return std::log(std::abs(double{x}));
    case EXP09_SIN:
      return std::sin(double{x});
    case EXP09_SIN_LARGE:
      return std::sin(double{x * EXP09_LARGE});
    default:
      throw bench::Error("no function {}", function);
  }
}

double ulps(float found, double wanted) {
  if (!std::isfinite(found)) return std::numeric_limits<double>::infinity();
  const float nearest = std::max(std::abs(static_cast<float>(wanted)), std::numeric_limits<float>::min());
  const double unit = std::ldexp(1.0, std::ilogb(nearest) - (std::numeric_limits<float>::digits - 1));
  return std::abs(double{found} - wanted) / unit;
}

std::uint32_t branched(const Config& config, std::uint32_t thread) {
  const std::uint32_t way = (thread % config.block() >> config.shift) & (config.ways - 1);
  std::uint32_t value = thread % config.block();
  for (std::uint32_t k = 0; k < config.steps() * EXP09_WORK; ++k) value = next_value(value, way);
  return value;
}

std::uint32_t looped(const Config& config, std::uint32_t thread) {
  std::uint32_t value = thread % config.block();
  for (std::uint32_t step = 0; step < config.steps(); ++step) {
    for (std::uint32_t i = 0; i < EXP09_BOUND; ++i) value = next_of_loop(value, i);
  }
  return value;
}

float compensated_sum(const bench::Workbench& bench, std::uint32_t thread, std::uint32_t threads, std::uint32_t terms) {
  volatile float sum = 0;  // volatile: nothing is kept with more digits, nothing reckoned in another order
  volatile float lost = 0;
  for (std::uint32_t k = 0; k < terms; ++k) {
    const float term = std::abs(bench.input_value(0, std::uint64_t{k} * threads + thread));
    volatile const float whole = term - lost;
    volatile const float next = sum + whole;
    volatile const float gained = next - sum;
    lost = gained - whole;
    sum = next;
  }
  return sum;
}

bench::Values check(bench::Workbench& bench, const bench::Buffer& out, const Config& config) {
  if (config.kind == Kind::kBranch || config.kind == Kind::kLoop) {
    std::vector<std::uint32_t> expected(config.block());
    for (std::uint32_t t = 0; t < config.block(); ++t)
      expected[t] = config.kind == Kind::kBranch ? branched(config, t) : looped(config, t);
    bench::verify<std::uint32_t>(bench, out, config.threads(), bench::kGuardWords,
                                 [&](std::uint64_t i) { return expected[i % expected.size()]; });
    return {};
  }
  std::vector<float> found(config.threads());
  bench.device().download(out, 0, std::as_writable_bytes(std::span(found)));
  bench::Values values =
      config.kind == Kind::kPrecision ? check_function(bench, found, config) : check_sum(bench, found, config);
  bench.compared(out, found.size() + bench::kGuardWords);
  return values;
}

std::vector<bench::Column> measured_columns() {
  using bench::Column;
  return {Column::real("max_ulp", "ulp", "of the result farthest from the true one, in units of its last place").optional(),
          Column::real("mean_ulp", "ulp", "of all results").optional(),
          Column::real("contracted_pct", "%", "of the results, made by a fused multiplication and addition").optional(),
          Column::real("as_written_pct", "%", "of the sums, equal to the CPU's to the last bit").optional()};
}
