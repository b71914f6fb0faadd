// What the kernels must compute, plainly: sums of 32-bit words, modulo 2^32.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

// Of the first `words` words of a sequence.
class Prefixes {
 public:
  using Word = std::function<std::uint32_t(std::uint64_t)>;
  Prefixes(Word word, std::uint64_t words);

  // The sum of all words before word i. Cheap where i is the one after that asked for last by the same thread.
  std::uint32_t before(std::uint64_t i) const;
  std::uint32_t total() const { return parts_.back(); }

 private:
  static constexpr std::uint64_t kPart = 1024;  // words

  Word word_;
  std::vector<std::uint32_t> parts_;  // before each part, and of all
};
