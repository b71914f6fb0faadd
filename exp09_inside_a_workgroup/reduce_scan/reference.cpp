#include "reference.h"

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"

Prefixes::Prefixes(Word word, std::uint64_t words) : word_(std::move(word)), parts_((words + kPart - 1) / kPart + 1) {
  bench::parallel_for(parts_.size() - 1, 64, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t part = begin; part < end; ++part) {
      std::uint32_t sum = 0;
      for (std::uint64_t i = part * kPart; i < std::min(words, (part + 1) * kPart); ++i) sum += word_(i);
      parts_[part + 1] = sum;
    }
  });
  for (std::size_t part = 1; part < parts_.size(); ++part) parts_[part] += parts_[part - 1];
}

std::uint32_t Prefixes::before(std::uint64_t i) const {
  struct Last {
    const Prefixes* of = nullptr;
    std::uint64_t index = 0;
    std::uint32_t sum = 0;
  };
  thread_local Last last;
  if (last.of != this || last.index + 1 != i || i % kPart == 0) {
    last = {this, i / kPart * kPart, parts_[i / kPart]};
    while (last.index < i) last.sum += word_(last.index++);
  } else {
    last.sum += word_(last.index);
    last.index = i;
  }
  return last.sum;
}
