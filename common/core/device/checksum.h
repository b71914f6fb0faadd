// 64 bits that tell one content of a buffer from another, by the position and the value of every word.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bench {

// Two sums modulo 2^32 over all words: in whatever order they are added, the result is the same. See core/base/data_words.h.
struct Checksum {
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;

  bool operator==(const Checksum&) const = default;
  // The words from index `first` on.
  void add(std::uint64_t first, std::span<const std::uint32_t> words);
  void add(const Checksum& other) {
    lo += other.lo;
    hi += other.hi;
  }
  std::string text() const;  // 16 hexadecimal digits, hi first
};

}  // namespace bench
