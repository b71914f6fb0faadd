// Seeded, incompressible input that any element of can be computed on its own: the CPU reference needs no copy of it.
#pragma once

#include <bit>
#include <cstdint>

namespace bench {

// 32 random bits for element `index` of `stream`: a counter through a 32-bit finaliser (the low-bias constants of Wellons' hash
// prospector), with a key per stream stirred in half-way, so that streams are not shifted copies of each other. Indices repeat
// after 2^32, far beyond any buffer here. Cheap enough that checking 2 GiB costs a fraction of a second.
constexpr std::uint32_t random_bits(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  std::uint64_t key = (seed + 1) * 0x9e3779b97f4a7c15ULL + stream * 0xbf58476d1ce4e5b9ULL;
  key ^= key >> 29;
  auto x = static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(key);
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x += static_cast<std::uint32_t>(key >> 32);
  x ^= x >> 15;
  x *= 0xd35a2d97U;
  x ^= x >> 15;
  return x;
}

// A float in ±[0.5, 2): random sign, mantissa and lowest exponent bit, 25 random bits of 32. Never NaN, infinite or subnormal,
// and sums of a few of them keep full precision.
constexpr float random_float(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  return std::bit_cast<float>((random_bits(seed, stream, index) & 0x80ffffffU) | 0x3f000000U);
}

}  // namespace bench
