#include "arrived.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "core/base/parallel.h"
#include "core/experiment/verify.h"

namespace {

// Look i of `looks` into `words` words.
std::uint64_t place(std::uint64_t i, std::uint64_t looks, std::uint64_t words) {
  return looks < 2 ? 0
                   : static_cast<std::uint64_t>(static_cast<double>(i) * static_cast<double>(words - 1) /
                                                static_cast<double>(looks - 1));
}

constexpr std::uint64_t kGrain = 1 << 16;

}  // namespace

void check_arrived(const bench::Workbench& bench, std::span<const std::byte> memory, std::uint64_t looks) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(memory.data());
  const std::uint64_t count = memory.size() / sizeof(std::uint32_t);
  looks = std::min(looks, count);
  bench::Mismatches<std::uint32_t> mismatches;
  std::mutex mutex;
  bench::parallel_for(looks, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
    const auto expected = [&](std::uint64_t at) { return std::bit_cast<std::uint32_t>(bench.input_value(0, at)); };
    bench::Mismatches<std::uint32_t> part;
    if (looks == count) {
      part = bench::compare<std::uint32_t>(std::span(words, count).subspan(begin, end - begin), begin, expected, 0);
    } else {
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t at = place(i, looks, count);
        if (words[at] != expected(at)) part.add(at, words[at], expected(at));
      }
    }
    const std::scoped_lock lock(mutex);
    mismatches.merge(part);
  });
  mismatches.check(looks);
}

void spoil(std::span<std::byte> memory, std::uint64_t looks) {
  auto* words = reinterpret_cast<std::uint32_t*>(memory.data());
  const std::uint64_t count = memory.size() / sizeof(std::uint32_t);
  looks = std::min(looks, count);
  bench::parallel_for(looks, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
    if (looks == count) {
      std::fill(words + begin, words + end, bench::kPoison);
    } else {
      for (std::uint64_t i = begin; i < end; ++i) words[place(i, looks, count)] = bench::kPoison;
    }
  });
}
