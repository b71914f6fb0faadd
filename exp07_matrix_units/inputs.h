// What is multiplied: numbers of every type that any element of can be computed on its own, as the host sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "numbers.h"

enum class Data : std::uint8_t {
  kNormal,
  kZeros,
  kFew,  // -0.5, 0, 0.5 and 1 (s8: as kNormal), which switch fewer bits: what vk_cooperative_matrix_perf multiplies
};

constexpr std::string_view name_of(Data data) {
  constexpr std::string_view kNames[] = {"normal", "zeros", "few"};
  return kNames[static_cast<std::uint8_t>(data)];
}

enum class Operand : std::uint32_t { kA, kB };

// The nearest number of the type, ties to even; of one too large the largest. bytes_of(number) bytes of the result count.
std::uint32_t encode(double value, Number number);
double decode(std::uint32_t bits, Number number);

// A matrix, row by row, that the seed fixes: from the normal distribution of variance 1 (s8: evenly from -128 to 127), rounded
// to the type, or another Data.
struct Matrix {
  std::uint64_t seed = 0;
  Operand operand = Operand::kA;
  Number number = Number::kF16;
  Data data = Data::kNormal;

  // The 32-bit words from `first` on, as they lie in memory.
  void words(std::uint64_t first, std::span<std::uint32_t> to) const;
  // The elements from `first` on, a multiple of 4, by value.
  void values(std::uint64_t first, std::span<float> to) const;
};

// The multiplier of row or column i in a check by a random vector: 1 or -1.
float sign_of(std::uint64_t seed, Operand operand, std::uint64_t i);
