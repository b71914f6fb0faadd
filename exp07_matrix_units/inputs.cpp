#include "inputs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace {

// Of the seed's streams of random words: the workbench's inputs take the first.
constexpr std::uint32_t kMatrixStream = 16;
constexpr std::uint32_t kOperandSignStream = 24;

struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinities;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int sign_at() const { return exponent_bits + mantissa_bits; }
};

Format format_of(Number number) {
  switch (number) {
    case Number::kF16:
      return {5, 10, true};
    case Number::kBf16:
      return {8, 7, true};
    case Number::kE4m3:
      return {4, 3, false};
    default:
      throw bench::Error("{} has no format of its own here", name_of(number));
  }
}

// The standard normal distribution's value below which a share of `p` lies: bisection of its integral.
double normal_quantile(double p) {
  double low = -9;
  double high = 9;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Numbers of a type by a random index of as many bits as an element has.
struct Table {
  std::vector<std::uint32_t> bits;
  std::vector<float> values;
};

Table make_table(Number number, Data data) {
  constexpr double kFew[] = {-0.5, 0, 0.5, 1};
  const std::uint32_t count = 1U << (8 * bytes_of(number));
  Table table{std::vector<std::uint32_t>(count), std::vector<float>(count)};
  for (std::uint32_t i = 0; i < count; ++i) {
    table.bits[i] =
        number == Number::kS8 ? i : encode(data == Data::kFew ? kFew[i % 4] : normal_quantile((i + 0.5) / count), number);
    table.values[i] = static_cast<float>(decode(table.bits[i], number));
  }
  return table;
}

template <Number kNumber>
const Table& table_of(Data data) {
  static const Table normal = make_table(kNumber, Data::kNormal);
  static const Table few = make_table(kNumber, Data::kFew);
  return data == Data::kFew ? few : normal;
}

const Table& table_of(Number number, Data data) {
  switch (number) {
    case Number::kF16:
      return table_of<Number::kF16>(data);
    case Number::kBf16:
      return table_of<Number::kBf16>(data);
    case Number::kS8:
      return table_of<Number::kS8>(data);
    case Number::kE4m3:
      return table_of<Number::kE4m3>(data);
    default:
      throw bench::Error("no matrices of {} here", name_of(number));
  }
}

}  // namespace

std::uint32_t encode(double value, Number number) {
  if (number == Number::kF32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (number == Number::kTf32) {  // the low 13 bits of a float's mantissa are not looked at
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return (bits + 0xfffU + (bits >> 13 & 1U)) & ~0x1fffU;
  }
  if (number == Number::kS8) return static_cast<std::uint8_t>(static_cast<std::int8_t>(std::clamp(value, -128.0, 127.0)));
  if (number == Number::kS32) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  const Format format = format_of(number);
  const std::uint32_t sign = std::signbit(value) ? 1U << format.sign_at() : 0;
  const double size = std::fabs(value);
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), 1 - format.bias());
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, format.mantissa_bits - exponent)));
  const std::uint32_t bits = steps + (static_cast<std::uint32_t>(exponent + format.bias() - 1) << format.mantissa_bits);
  const std::uint32_t largest =
      format.has_infinities ? (((1U << format.exponent_bits) - 1) << format.mantissa_bits) - 1 : (1U << format.sign_at()) - 2;
  return sign | std::min(bits, largest);
}

double decode(std::uint32_t bits, Number number) {
  if (number == Number::kF32 || number == Number::kTf32) return std::bit_cast<float>(bits);
  if (number == Number::kS8) return static_cast<std::int8_t>(bits);
  if (number == Number::kS32) return static_cast<std::int32_t>(bits);
  const Format format = format_of(number);
  const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const std::uint32_t all_ones = (1U << format.exponent_bits) - 1;
  const std::uint32_t exponent = bits >> format.mantissa_bits & all_ones;
  const bool negative = (bits >> format.sign_at() & 1U) != 0;
  const bool special = exponent == all_ones && (format.has_infinities || mantissa + 1 == 1U << format.mantissa_bits);
  const double size =
      special         ? (format.has_infinities && mantissa == 0 ? INFINITY : NAN)
      : exponent == 0 ? std::ldexp(mantissa, 1 - format.bias() - format.mantissa_bits)
                      : std::ldexp(1 + std::ldexp(mantissa, -format.mantissa_bits), static_cast<int>(exponent) - format.bias());
  return negative ? -size : size;
}

void Matrix::words(std::uint64_t first, std::span<std::uint32_t> to) const {
  if (data == Data::kZeros) {
    std::fill(to.begin(), to.end(), 0);
    return;
  }
  const Table& table = table_of(number, data);
  const std::uint32_t width = 8 * bytes_of(number);
  const std::uint32_t mask = (1U << width) - 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::uint32_t random = bench::random_bits(seed, kMatrixStream + static_cast<std::uint32_t>(operand), first + i);
    std::uint32_t word = 0;
    for (std::uint32_t at = 0; at < 32; at += width) word |= table.bits[random >> at & mask] << at;
    to[i] = word;
  }
}

void Matrix::values(std::uint64_t first, std::span<float> to) const {
  if (data == Data::kZeros) {
    std::fill(to.begin(), to.end(), 0);
    return;
  }
  const Table& table = table_of(number, data);
  const std::uint32_t width = 8 * bytes_of(number);
  const std::uint32_t a_word = 32 / width;
  const std::uint32_t mask = (1U << width) - 1;
  for (std::size_t i = 0; i < to.size(); i += a_word) {
    const std::uint32_t random =
        bench::random_bits(seed, kMatrixStream + static_cast<std::uint32_t>(operand), (first + i) / a_word);
    for (std::uint32_t part = 0; part < a_word; ++part) to[i + part] = table.values[random >> (part * width) & mask];
  }
}

float sign_of(std::uint64_t seed, Operand operand, std::uint64_t i) {
  const std::uint32_t random = bench::random_bits(seed, kOperandSignStream + static_cast<std::uint32_t>(operand), i / 32);
  return (random >> (i % 32) & 1U) != 0 ? 1.0F : -1.0F;
}
