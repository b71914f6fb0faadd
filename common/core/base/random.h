// Seeded, incompressible input that any element of can be computed on its own: the CPU reference needs no copy of it.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/data_words.h"

namespace bench {

// What tells one stream of random words from another.
constexpr std::uint64_t random_key(std::uint64_t seed, std::uint32_t stream) {
  const std::uint64_t key = (seed + 1) * 0x9e3779b97f4a7c15ULL + stream * 0xbf58476d1ce4e5b9ULL;
  return key ^ (key >> 29);
}

// 32 random bits for element `index` of `stream`. Indices repeat after 2^32, far beyond any buffer here. Cheap enough that
// checking 2 GiB costs a fraction of a second.
constexpr std::uint32_t random_bits(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  const std::uint64_t key = random_key(seed, stream);
  return random_word(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32));
}

// A float in ±[0.5, 2), 25 random bits of 32. Never NaN, infinite or subnormal, and sums of a few of them keep full precision.
constexpr float random_float(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  return std::bit_cast<float>(input_word(random_bits(seed, stream, index)));
}

}  // namespace bench
