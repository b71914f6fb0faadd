#include "description/values.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/random.h"
#include "description/expression.h"

namespace bench::own {
namespace {

constexpr std::uint32_t kSharedStream = ~0U;  // of all buffers that give their seed

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

// IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction.
double of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double size = exponent == 31
                          ? (fraction == 0 ? INFINITY : NAN)
                          : std::ldexp(exponent == 0 ? fraction : fraction + 1024, (exponent == 0 ? 1 : exponent) - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

std::uint16_t half_of(double number) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  const double size = std::abs(number);
  if (std::isnan(number)) return 0x7e00;
  if (size == 0) return sign;
  if (size >= 65520) return sign | 0x7c00;  // halfway from the greatest half to 2^16
  int exponent = 0;
  std::frexp(size, &exponent);
  const int unit = std::max(exponent - 11, -24);  // of the last place: 2^unit
  const auto places = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, -unit)));
  // A carry out of the fraction goes into the exponent by itself.
  return static_cast<std::uint16_t>(sign + (unit == -24 ? places : ((unit + 24U) << 10) + places));
}

// The upper half of a float.
double of_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t bfloat_of(double number) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (std::isnan(number)) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Modulo 2^64, so that a negative number of any width has its bits.
std::uint64_t whole_of(double number) {
  return number < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : static_cast<std::uint64_t>(number);
}

}  // namespace

double number_of(Type type, const std::byte* bytes) {
  switch (type) {
    case Type::kF16:
      return of_half(load<std::uint16_t>(bytes));
    case Type::kBf16:
      return of_bfloat(load<std::uint16_t>(bytes));
    case Type::kF32:
      return load<float>(bytes);
    case Type::kF64:
      return load<double>(bytes);
    case Type::kI8:
      return load<std::int8_t>(bytes);
    case Type::kU8:
      return load<std::uint8_t>(bytes);
    case Type::kI16:
      return load<std::int16_t>(bytes);
    case Type::kU16:
      return load<std::uint16_t>(bytes);
    case Type::kI32:
      return load<std::int32_t>(bytes);
    case Type::kU32:
    case Type::kBool:
      return load<std::uint32_t>(bytes);
    case Type::kI64:
      return static_cast<double>(load<std::int64_t>(bytes));
    case Type::kU64:
      return static_cast<double>(load<std::uint64_t>(bytes));
  }
  return 0;
}

void put_number(Type type, double number, std::byte* bytes) {
  switch (type) {
    case Type::kF16:
      return store(half_of(number), bytes);
    case Type::kBf16:
      return store(bfloat_of(number), bytes);
    case Type::kF32:
      return store(static_cast<float>(number), bytes);
    case Type::kF64:
      return store(number, bytes);
    case Type::kBool:
      return store<std::uint32_t>(number != 0 ? 1 : 0, bytes);
    default:
      break;
  }
  const std::uint64_t whole = whole_of(number);
  std::memcpy(bytes, &whole, own::bytes_of(type));  // little-endian, as every GPU
}

std::vector<std::byte> bytes_of_number(Type type, double number) {
  std::vector<std::byte> bytes(own::bytes_of(type));
  put_number(type, number, bytes.data());
  return bytes;
}

std::string text_of_element(Type type, const std::byte* bytes) {
  if (type == Type::kI64) return fmt::format("{}", load<std::int64_t>(bytes));
  if (type == Type::kU64) return fmt::format("{}", load<std::uint64_t>(bytes));
  if (type == Type::kF32) return fmt::format("{}", load<float>(bytes));
  const double number = number_of(type, bytes);
  return type == Type::kF64 ? fmt::format("{}", number) : fmt::format("{:g}", number);
}

void make_content(const Buffer& buffer, std::uint32_t stream, std::uint64_t first, std::span<std::byte> bytes,
                  std::span<const double> numbers) {
  const std::size_t width = own::bytes_of(buffer.type);
  const std::uint64_t seed = buffer.seed.value_or(1);
  if (buffer.seed) stream = kSharedStream;
  for (std::uint64_t i = 0; i < bytes.size() / width; ++i) {
    std::byte* const at = bytes.data() + i * width;
    const std::uint64_t index = first + i;
    if (buffer.content == Content::kZeros) {
      std::memset(at, 0, width);
    } else if (buffer.content == Content::kCounting) {
      put_number(buffer.type, static_cast<double>(index), at);
    } else if (buffer.content == Content::kValues) {
      put_number(buffer.type, numbers[numbers.size() == 1 ? 0 : index], at);
    } else if (is_float(buffer.type)) {
      // 24 bits for a float's, 11 for a half's and 8 for a bfloat's: rounding must not reach 1.
      const int bits = buffer.type == Type::kF16 ? 11 : buffer.type == Type::kBf16 ? 8 : 24;
      const double part = std::ldexp(random_bits(seed, stream, index) >> (32 - bits), -bits);
      put_number(buffer.type, numbers.empty() ? part : numbers[0] + (numbers[1] - numbers[0]) * part, at);
    } else {
      const std::uint64_t word =
          random_bits(seed, stream, 2 * index) | (std::uint64_t{random_bits(seed, stream, 2 * index + 1)} << 32);
      if (numbers.empty()) {
        std::memcpy(at, &word, width);
      } else {
        const auto count = static_cast<std::uint64_t>(numbers[1] - numbers[0]) + 1;
        put_number(buffer.type, numbers[0] + static_cast<double>(word % count), at);
      }
    }
  }
}

std::vector<double> numbers_of(const Buffer& buffer, const Sizes& sizes) {
  std::vector<double> numbers;
  for (const Expression& one : buffer.values.empty() ? buffer.range : buffer.values) numbers.push_back(value_of(one, sizes));
  return numbers;
}

}  // namespace bench::own
