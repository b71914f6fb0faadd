// The types of numbers that are multiplied and summed.
#pragma once

#include <cstdint>
#include <string_view>

enum class Number : std::uint8_t { kF16, kBf16, kTf32, kE4m3, kS8, kF32, kF64, kS32 };

// How B lies in memory.
enum class Layout : std::uint8_t {
  kByColumns,  // n x k, row by row: the numbers of a column of B side by side ("K-major")
  kByRows,     // k x n, row by row
};

constexpr std::string_view name_of(Layout layout) { return layout == Layout::kByColumns ? "columns" : "rows"; }

// A product's.
struct Types {
  Number in;
  Number sums;
};

constexpr std::string_view name_of(Number number) {
  constexpr std::string_view kNames[] = {"f16", "bf16", "tf32", "e4m3", "s8", "f32", "f64", "s32"};
  return kNames[static_cast<std::uint8_t>(number)];
}

constexpr std::uint32_t bytes_of(Number number) {
  constexpr std::uint32_t kBytes[] = {2, 2, 4, 1, 1, 4, 8, 4};
  return kBytes[static_cast<std::uint8_t>(number)];
}
