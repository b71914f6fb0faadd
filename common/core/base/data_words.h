// The words that every kernel's data are made of and checked by, computed alike by C++, CUDA C++ and GLSL, and what the kernels
// that make and check them take.
#ifndef BENCH_CORE_DATA_WORDS_H
#define BENCH_CORE_DATA_WORDS_H

#include "core/base/shader_types.h"

// 32 random bits for word `index` of the stream that the key stands for: a counter through a 32-bit finaliser (the low-bias
// constants of Wellons' hash prospector), with the key stirred in half-way, so that streams are not shifted copies of each
// other.
BENCH_FUNCTION uint random_word(uint index, uint key_lo, uint key_hi) {
  uint x = index ^ key_lo;
  x ^= x >> 16;
  x *= 0x21f0aaadu;
  x += key_hi;
  x ^= x >> 15;
  x *= 0xd35a2d97u;
  return x ^ (x >> 15);
}

// As the bits of a float in +-[0.5, 2): random sign, mantissa and lowest exponent bit. Never NaN, infinite or subnormal.
BENCH_FUNCTION uint input_word(uint bits) { return (bits & 0x80ffffffu) | 0x3f000000u; }

// What one word adds to a checksum's two sums. Both are bijections of the word at a fixed index, so no single wrong word is
// missed, and another one at another index: words that have changed places are found, too.
BENCH_FUNCTION uint checksum_lo(uint index, uint word) { return incompressible_word(word ^ incompressible_word(index)); }
BENCH_FUNCTION uint checksum_hi(uint index, uint lo) { return incompressible_word(lo + 0x9e3779b9u * index + 0x7f4a7c15u); }

// Push constants, and CUDA's last argument.
struct RandomWordsParams {
  uint first;  // word
  uint count;  // words
  uint key_lo;
  uint key_hi;
};

struct ChecksumParams {
  uint count;  // words, from the first
};

BENCH_ASSERT_SIZE(RandomWordsParams, 16);
BENCH_ASSERT_SIZE(ChecksumParams, 4);

#endif
