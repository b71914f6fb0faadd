#include "core/device/checksum.h"

#include <fmt/format.h>

#include "core/base/data_words.h"
#include "core/device/avx2_clone.h"

namespace bench {
namespace {

BENCH_AVX2_CLONE Checksum sum_of(std::uint32_t first, const std::uint32_t* words, std::size_t count) {
  Checksum sum;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t index = first + static_cast<std::uint32_t>(i);
    const std::uint32_t lo = checksum_lo(index, words[i]);
    sum.lo += lo;
    sum.hi += checksum_hi(index, lo);
  }
  return sum;
}

}  // namespace

void Checksum::add(std::uint64_t first, std::span<const std::uint32_t> words) {
  add(sum_of(static_cast<std::uint32_t>(first), words.data(), words.size()));
}

std::string Checksum::text() const { return fmt::format("{:08x}{:08x}", hi, lo); }

}  // namespace bench
