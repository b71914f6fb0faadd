// The experiment's table: how shared memory is accessed, and what the bank model says of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

enum class Kind : std::uint8_t {
  kRead,      // a full GPU reads tables at a stride
  kWrite,     // or stores to them
  kStructs,   // reads structures of four words
  kChannels,  // a forum's convolution
  kCapacity,  // as much shared memory as asked for
};

// How a structure's words lie; stride: words from one structure's word to the next one's.
struct Layout {
  const char* name;
  std::uint32_t access_bytes;  // of one read
  std::uint32_t stride_words;
};
inline constexpr Layout kLayouts[] = {{"soa", 4, 1}, {"aos", 4, 4}, {"vec4", 16, 4}, {"padded", 4, 5}};

struct Weights {
  const char* name;
  std::uint32_t glsl;
};
inline constexpr Weights kWeights[] = {{"rows", EXP09_ROWS}, {"columns", EXP09_COLUMNS}, {"shared", EXP09_SHARED}};

// One row of the CSV, or two twins.
struct Config {
  Kind kind{};
  std::uint32_t bytes = 4;           // of an access
  std::uint32_t stride = 1;          // elements between lanes
  std::uint32_t pad = 0;             // elements behind every 32
  const Layout* layout = nullptr;    // structs
  std::uint32_t fields = 0;          // structs: read of each
  const Weights* weights = nullptr;  // channels
  std::uint32_t asked_bytes = 0;     // capacity
  std::uint32_t sms = 0;
  bool small = false;  // for a CPU, or the smoke test

  std::string variant() const;
  std::string stem() const;
  std::string entry() const;
  std::uint32_t block() const { return kind == Kind::kChannels ? EXP09_CHANNELS : kind == Kind::kCapacity ? 64 : 256; }
  // channels: pixels a side; others: blocks.
  std::uint32_t side() const { return small ? 16 : 128; }
  std::uint32_t blocks() const;
  std::uint32_t turns() const { return small ? 8 : 512; }
  bool is_rate() const { return kind == Kind::kRead || kind == Kind::kWrite || kind == Kind::kStructs; }
  // By all threads in the loop: as the source spells them.
  std::uint64_t accesses() const;
  std::uint32_t access_bytes() const {
    return layout != nullptr && fields == 1 ? 4 : layout != nullptr ? layout->access_bytes : bytes;
  }
  // The bank model's: of one access of a warp, and of all of a launch. 0: no model.
  std::uint32_t wavefronts() const;
  std::uint64_t launch_wavefronts() const;
};

std::vector<Config> all_configs(const bench::Plan& plan);
