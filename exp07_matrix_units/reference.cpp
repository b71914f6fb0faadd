#include "reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/device/avx2_clone.h"

namespace {

constexpr std::uint32_t kBlocks = 24;
constexpr std::uint32_t kBlockRows = 8;
constexpr std::uint32_t kPlaceStream = 32;

BENCH_AVX2_CLONE void add_scaled(std::span<double> sums, std::span<const float> row, double factor) {
  for (std::size_t i = 0; i < row.size(); ++i) sums[i] += factor * static_cast<double>(row[i]);
}

BENCH_AVX2_CLONE double dot(std::span<const float> row, std::span<const double> by) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  for (std::size_t i = 0; i < row.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(row[i + lane]) * by[i + lane];
  }
  double sum = 0;
  for (const double one : sums) sum += one;
  return sum;
}

// Of all rows of the matrix, each `width` long: their sum, each times its factor.
std::vector<double> weighted_sum(const Matrix& matrix, const std::vector<double>& factors, std::uint32_t width) {
  std::vector<double> sum(width);
  std::mutex mutex;
  bench::parallel_for(factors.size(), 16, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<double> part(width);
    std::vector<float> row(width);
    for (std::uint64_t i = begin; i < end; ++i) {
      matrix.values(i * width, row);
      add_scaled(part, row, factors[i]);
    }
    const std::scoped_lock lock(mutex);
    for (std::uint32_t k = 0; k < width; ++k) sum[k] += part[k];
  });
  return sum;
}

// Of each row its product with the vector.
std::vector<double> times(const Matrix& matrix, std::uint32_t rows, const std::vector<double>& vector) {
  std::vector<double> result(rows);
  bench::parallel_for(rows, 16, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<float> row(vector.size());
    for (std::uint64_t i = begin; i < end; ++i) {
      matrix.values(i * vector.size(), row);
      result[i] = dot(row, vector);
    }
  });
  return result;
}

Product::Element element_of(std::uint64_t index, std::span<const float> row, std::span<const float> column) {
  Product::Element element{.index = index};
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double product = static_cast<double>(row[k]) * static_cast<double>(column[k]);
    element.value += product;
    element.peak = std::max({element.peak, std::fabs(product), std::fabs(element.value)});
  }
  return element;
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(values.size(), 1)));
}

const std::vector<float>& halves() {
  static const std::vector<float> values = [] {
    std::vector<float> all(1U << 16);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(decode(i, Number::kF16));
    return all;
  }();
  return values;
}

// The element at `from`, by value.
double value_at(const std::byte* from, Number number) {
  if (number == Number::kF16) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof(bits));
    return static_cast<double>(halves()[bits]);
  }
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return decode(bits, number);
}

template <class Real>
std::vector<Real> signs_of(std::uint64_t seed, Operand operand, std::uint32_t count) {
  std::vector<Real> signs(count);
  for (std::uint32_t i = 0; i < count; ++i) signs[i] = sign_of(seed, operand, i);
  return signs;
}

// The elements at `from`, by value.
void values_at(const std::byte* from, Number number, std::span<double> to) {
  if (number == Number::kF32 || number == Number::kS32) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, from + i * sizeof(bits), sizeof(bits));
      to[i] = number == Number::kF32 ? static_cast<double>(std::bit_cast<float>(bits)) : std::bit_cast<std::int32_t>(bits);
    }
  } else {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = value_at(from + i * bytes_of(number), number);
  }
}

BENCH_AVX2_CLONE double add_row(std::span<const double> row, double row_sign, std::span<const float> signs,
                                std::span<double> by_column) {
  constexpr std::size_t kLanes = 4;
  double sums[kLanes] = {};
  for (std::size_t i = 0; i < row.size(); ++i) {
    sums[i % kLanes] += row[i] * static_cast<double>(signs[i]);
    by_column[i] += row_sign * row[i];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Throws Error if a sum is further from the expected one than it may be. A NaN is.
void check_sums(const char* what, const std::vector<double>& found, const std::vector<double>& expected, double bound) {
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::fabs(found[i] - expected[i]) <= bound) continue;
    if (wrong++ == 0)
      first = fmt::format("{} {}: found {}, expected {}, off by at most {}", what, i, found[i], expected[i], bound);
  }
  if (wrong != 0) throw bench::Error("wrong output: the sums of {} of {} {}s differ; {}", wrong, expected.size(), what, first);
}

// Eight columns of B from `column` on, each k long, one after another.
std::vector<float> columns_of(const Matrix& b, Layout layout, std::uint64_t column, const MatrixParams& shape) {
  std::vector<float> columns(std::size_t{kBlockRows} * shape.k);
  if (layout == Layout::kByColumns) {
    b.values(column * shape.k, columns);
    return columns;
  }
  constexpr std::uint64_t kStep = 4;  // Matrix::values() begins at multiples of it
  const std::uint64_t before = column % kStep;
  std::vector<float> row(kBlockRows + kStep);
  for (std::uint64_t k = 0; k < shape.k; ++k) {
    b.values(k * shape.n + column - before, row);
    for (std::uint64_t j = 0; j < kBlockRows; ++j) columns[j * shape.k + k] = row[before + j];
  }
  return columns;
}

}  // namespace

Product::Product(std::uint64_t seed, Number in, Data data, const MatrixParams& shape, Layout layout)
    : seed_(seed), in_(in), shape_(shape) {
  const Matrix a = {seed, Operand::kA, in, data};
  const Matrix b = {seed, Operand::kB, in, data};
  const std::vector<double> row_signs = signs_of<double>(seed, Operand::kA, shape.m);
  const std::vector<double> column_signs = signs_of<double>(seed, Operand::kB, shape.n);
  const std::vector<double> sum_of_rows = weighted_sum(a, row_signs, shape.k);
  if (layout == Layout::kByColumns) {
    row_sums_ = times(a, shape.m, weighted_sum(b, column_signs, shape.k));
    column_sums_ = times(b, shape.n, sum_of_rows);
  } else {
    row_sums_ = times(a, shape.m, times(b, shape.k, column_signs));
    column_sums_ = weighted_sum(b, sum_of_rows, shape.n);
  }

  std::vector<std::uint64_t> places = {0, std::uint64_t{shape.m - kBlockRows} * shape.n + (shape.n - kBlockRows)};
  while (places.size() < kBlocks) {
    const auto random = static_cast<std::uint32_t>(places.size());
    const std::uint64_t row = bench::random_bits(seed, kPlaceStream, 2 * random) % (shape.m - kBlockRows);
    const std::uint64_t column = bench::random_bits(seed, kPlaceStream, 2 * random + 1) % (shape.n - kBlockRows);
    places.push_back(row * shape.n + column);
  }
  std::mutex mutex;
  bench::parallel_for(places.size(), 1, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<float> rows(std::size_t{kBlockRows} * shape.k);
    for (std::uint64_t p = begin; p < end; ++p) {
      const std::uint64_t row = places[p] / shape.n;
      const std::uint64_t column = places[p] % shape.n;
      a.values(row * shape.k, rows);
      const std::vector<float> columns = columns_of(b, layout, column, shape);
      for (std::uint32_t i = 0; i < kBlockRows; ++i) {
        for (std::uint32_t j = 0; j < kBlockRows; ++j) {
          const Element element =
              element_of((row + i) * shape.n + column + j, std::span(rows).subspan(std::size_t{i} * shape.k, shape.k),
                         std::span(columns).subspan(std::size_t{j} * shape.k, shape.k));
          const std::scoped_lock lock(mutex);
          elements_.push_back(element);
        }
      }
    }
  });
  const auto by_index = [](const Element& one, const Element& other) { return one.index < other.index; };
  std::sort(elements_.begin(), elements_.end(), by_index);
  const auto same = [](const Element& one, const Element& other) { return one.index == other.index; };
  elements_.erase(std::unique(elements_.begin(), elements_.end(), same), elements_.end());
}

// Sums in f32: a unit adds 8 products or more to a sum at a time, and cuts off what lies below the sum's last bit or, on some
// GPUs, a few bits above (M. Fasi et al., "Numerical behavior of NVIDIA tensor cores", 2021). The cuts all go one way, so their
// bound grows with the number of additions: 2^-22 of the peak each, four times what a cut takes on average. Of fp8 a unit adds
// 32 products at a time, and may keep 13 bits of a sum.
// Sums in f16: each addition rounds to nearest, by 2^-11 of the sum at most. The roundings go either way, so that the errors of
// many sums grow with the root of the number of additions; each sum alone is bounded by the number itself.
// Sums in s32 are exact.
Bounds bounds_of(Number in, Number sums, std::uint32_t depth) {
  constexpr double kSigmas = 8;
  const double additions = std::max(1.0, depth / 8.0);
  if (sums == Number::kS32) return {};
  if (sums == Number::kF16) {
    const double half_step = std::ldexp(1, -11);
    const double typical = half_step * std::sqrt(additions);
    return {.element = half_step * (additions + 1), .typical = typical, .summed = kSigmas * typical};
  }
  const double cut = in == Number::kE4m3 ? std::ldexp(1, -12) * std::max(1.0, depth / 32.0) : std::ldexp(1, -22) * additions;
  return {.element = cut, .typical = cut, .summed = kSigmas * cut};
}

Comparison::Comparison(const Product& product, Number sums)
    : product_(product),
      sums_(sums),
      row_signs_(signs_of<float>(product.seed(), Operand::kA, product.shape().m)),
      column_signs_(signs_of<float>(product.seed(), Operand::kB, product.shape().n)),
      found_(product.elements().size(), std::numeric_limits<double>::quiet_NaN()),
      row_sums_(product.shape().m),
      column_sums_(product.shape().n) {}

void Comparison::add(std::uint64_t first, std::span<const std::byte> bytes) {
  const std::uint32_t width = bytes_of(sums_);
  const std::uint64_t columns = product_.shape().n;
  bench::parallel_for(bytes.size() / width, columns, [&](std::uint64_t begin, std::uint64_t end) {
    std::vector<double> by_column(columns);
    std::vector<std::pair<std::uint64_t, double>> by_row;
    std::vector<double> values(columns);
    for (std::uint64_t at = first + begin; at < first + end;) {
      const std::uint64_t row = at / columns;
      const std::uint64_t column = at % columns;
      const std::uint64_t length = std::min(columns - column, first + end - at);
      const std::span row_values = std::span(values).first(length);
      values_at(bytes.data() + (at - first) * width, sums_, row_values);
      const double sum =
          add_row(row_values, static_cast<double>(row_signs_[row]), std::span(column_signs_).subspan(column, length),
                  std::span(by_column).subspan(column, length));
      by_row.emplace_back(row, sum);
      at += length;
    }
    const std::scoped_lock lock(mutex_);
    for (const auto& [row, sum] : by_row) row_sums_[row] += sum;
    for (std::uint64_t column = 0; column < columns; ++column) column_sums_[column] += by_column[column];
  });
  const auto& elements = product_.elements();
  const auto is_before = [](const Product::Element& element, std::uint64_t index) { return element.index < index; };
  auto element = std::lower_bound(elements.begin(), elements.end(), first, is_before);
  const std::uint64_t last = first + bytes.size() / width;
  const std::scoped_lock lock(mutex_);
  for (; element != elements.end() && element->index < last; ++element) {
    found_[static_cast<std::size_t>(element - elements.begin())] =
        value_at(bytes.data() + (element->index - first) * width, sums_);
  }
}

void Comparison::finish() const {
  const MatrixParams& shape = product_.shape();
  const Bounds bounds = bounds_of(product_.in(), sums_, shape.k);
  std::vector<double> errors;
  std::vector<double> peaks;
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Product::Element& element = product_.elements()[i];
    errors.push_back(std::fabs(found_[i] - element.value));
    peaks.push_back(element.peak);
    if (errors.back() <= bounds.element * element.peak) continue;
    if (wrong++ == 0) {
      first = fmt::format("row {}, column {}: found {}, expected {}, off by at most {}", element.index / shape.n,
                          element.index % shape.n, found_[i], element.value, bounds.element * element.peak);
    }
  }
  if (wrong != 0) throw bench::Error("wrong output: {} of {} elements looked at differ; {}", wrong, found_.size(), first);
  const double peak = root_mean_square(peaks);
  if (const double error = root_mean_square(errors); !(error <= bounds.typical * peak)) {
    throw bench::Error("wrong output: the elements looked at are off by {} (root mean square), expected at most {}", error,
                       bounds.typical * peak);
  }
  check_sums("row", row_sums_, product_.row_sums(), bounds.summed * std::sqrt(shape.n) * peak);
  check_sums("column", column_sums_, product_.column_sums(), bounds.summed * std::sqrt(shape.m) * peak);
}
