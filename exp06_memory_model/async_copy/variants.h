// The experiment, as a table: how data come into shared memory beside computing, and how they are copied. (tile.h has the third
// part.)
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What the kernel needs of the GPU, and of its arguments.
enum class Mechanism : std::uint8_t { kPlain, kCpAsync, kBulk, kTensor };

// One case: `per_sm` blocks of `block` threads on every SM; 0: a block for every tile, or every `stages` chunks.
struct Shape {
  std::string_view variant;
  std::string_view stem;
  std::string entry;
  Mechanism mechanism;
  std::uint32_t block;
  std::uint32_t per_sm;
  std::uint32_t stages;       // tiles or chunks that a block has room for in CUDA's dynamic shared memory; 0: it asks for none
  std::uint32_t chunk_bytes;  // a copy's; what a block takes at a time
  std::string_view hint;      // to the L2
  std::uint32_t steps;        // of computing on each word

  bool copies() const { return steps == kNoSteps; }
  std::uint32_t shared_bytes() const;

  static constexpr std::uint32_t kNoSteps = ~0U;
};

// Ascending: what is computed on every word. 0 is the copy alone.
inline constexpr std::array<std::uint32_t, 6> kChainSteps = {0, 8, 16, 32, 64, 256};

// All shapes of both parts. `few`: one of every kernel, and two chains.
std::vector<Shape> shapes(bool few);

// All shapes' tiles and groups of chunks divide this.
inline constexpr std::uint32_t kTileMultiple = 1U << 20;
