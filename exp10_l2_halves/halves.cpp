#include "halves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace {

constexpr int kIterations = 50;
constexpr double kLeastGap = 3;
constexpr double kLeastShare = 0.25;

struct Matrix {
  std::vector<double> values;
  std::size_t rows;
  std::size_t columns;

  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
  std::span<const double> row(std::size_t number) const { return std::span(values).subspan(number * columns, columns); }
};

void center(std::span<double> values, std::size_t first, std::size_t step, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[first + i * step];
  for (std::size_t i = 0; i < count; ++i) values[first + i * step] -= sum / static_cast<double>(count);
}

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// To length 1; zeros stay zeros.
void normalise(std::vector<double>& vector) {
  const double length = std::sqrt(product(vector, vector));
  for (double& value : vector) value /= length > 0 ? length : 1;
}

double least_share(const std::vector<std::uint32_t>& sides) {
  const auto ones = static_cast<double>(std::count(sides.begin(), sides.end(), 1U));
  const auto all = static_cast<double>(sides.size());
  return std::min(ones, all - ones) / all;
}

}  // namespace

Halves split_halves(std::span<const double> latencies, std::size_t rows) {
  Matrix matrix = {{latencies.begin(), latencies.end()}, rows, latencies.size() / rows};
  const std::size_t columns = matrix.columns;
  for (std::size_t row = 0; row < rows; ++row) center(matrix.values, row * columns, 1, columns);
  for (std::size_t column = 0; column < columns; ++column) center(matrix.values, column, columns, rows);

  // From the longest row, so that the start is not at right angles to what is sought.
  std::size_t longest = 0;
  for (std::size_t row = 1; row < rows; ++row) {
    if (product(matrix.row(row), matrix.row(row)) > product(matrix.row(longest), matrix.row(longest))) longest = row;
  }
  std::vector<double> right(matrix.row(longest).begin(), matrix.row(longest).end());
  std::vector<double> left(rows);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    normalise(right);
    for (std::size_t row = 0; row < rows; ++row) left[row] = product(matrix.row(row), right);
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) right[column] += left[row] * matrix.at(row, column);
    }
  }
  Halves halves;
  for (const double value : left) halves.half.push_back((value < 0) != (left.front() < 0) ? 1 : 0);
  // Of one sign: far.
  for (const double value : right) halves.home.push_back((value < 0) == (left.front() < 0) ? 1 : 0);

  std::array<std::array<double, 2>, 2> sum{};  // by half and home
  std::array<std::array<double, 2>, 2> centered{};
  std::array<std::array<double, 2>, 2> count{};
  const auto each = [&](const auto& visit) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) visit(halves.half[row], halves.home[column], row, column);
    }
  };
  each([&](std::uint32_t half, std::uint32_t home, std::size_t row, std::size_t column) {
    sum[half][home] += latencies[row * columns + column];
    centered[half][home] += matrix.at(row, column);
    ++count[half][home];
  });
  double squares = 0;
  each([&](std::uint32_t half, std::uint32_t home, std::size_t row, std::size_t column) {
    squares += std::pow(matrix.at(row, column) - centered[half][home] / count[half][home], 2);
  });
  const double noise = std::sqrt(squares / static_cast<double>(latencies.size()));
  const double share = std::min(least_share(halves.half), least_share(halves.home));
  if (share < kLeastShare) {
    halves.why_not = fmt::format("no two halves of SMs: the smaller half or home would have {:.0f} %", share * 100);
    return halves;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    halves.near[half] = sum[half][half] / count[half][half];
    halves.far[half] = sum[half][1 - half] / count[half][1 - half];
  }
  const double gap = (halves.far[0] + halves.far[1] - halves.near[0] - halves.near[1]) / 2;
  if (!(gap > kLeastGap * noise)) {
    halves.why_not =
        fmt::format("no two halves of SMs: far takes {:.1f} cycles longer than near, the noise is {:.1f}", gap, noise);
  }
  return halves;
}

std::vector<std::uint32_t> homes_of(std::span<const double> latencies, const Halves& halves) {
  // Half 0's latency less half 1's, in the middle between home 0 and home 1.
  const double middle = (halves.near[0] - halves.far[1] + halves.far[0] - halves.near[1]) / 2;
  const std::size_t columns = latencies.size() / 2;
  std::vector<std::uint32_t> homes;
  for (std::size_t i = 0; i < columns; ++i) homes.push_back(latencies[i] - latencies[columns + i] < middle ? 0 : 1);
  return homes;
}
