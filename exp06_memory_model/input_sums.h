// The CPU's sums of the input, a piece at a time: made once and kept from case to case.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/parallel.h"
#include "core/experiment/workbench.h"

// Of a piece's words, modulo 2^32.
struct PlainSum {
  std::uint32_t operator()(std::span<const std::uint32_t> words) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t word : words) sum += word;
    return sum;
  }
};

// Input 0 in pieces of WORDS words, and what Sum, a function object, makes of each: it gets a copy, which it may overwrite.
template <std::uint32_t WORDS, class Sum = PlainSum>
class InputSums {
 public:
  static constexpr std::uint32_t kWords = WORDS;
  using Value = std::invoke_result_t<Sum, std::span<std::uint32_t, WORDS>>;

  // By piece, of `pieces` or more. Valid until the next call.
  const std::vector<Value>& of(const bench::Workbench& bench, std::uint64_t pieces) {
    if (seed_ == bench.input_seed() && values_.size() >= pieces) return values_;
    seed_ = bench.input_seed();
    values_.assign(pieces, Value{});
    bench::parallel_for(pieces, std::max(1U, kWordsAThread / WORDS), [&](std::uint64_t begin, std::uint64_t end) {
      std::array<std::uint32_t, WORDS> words{};
      for (std::uint64_t piece = begin; piece < end; ++piece) {
        for (std::uint32_t i = 0; i < WORDS; ++i)
          words[i] = std::bit_cast<std::uint32_t>(bench.input_value(0, piece * WORDS + i));
        values_[piece] = Sum{}(words);
      }
    });
    return values_;
  }

 private:
  static constexpr std::uint32_t kWordsAThread = 1U << 14;  // at least

  std::uint64_t seed_ = 0;
  std::vector<Value> values_;
};
