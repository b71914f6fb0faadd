// The experiment's table: what is done, by which instructions, in clusters of how many blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "params.h"

// Shared memory that no SM has twice: a block that wants so much has an SM to itself.
inline constexpr std::uint32_t kAlone = 160U << 10;

enum class Shape : std::uint8_t {
  kExample,    // the source's two examples
  kRounds,     // every block sends a word to its peer and waits for the peer's
  kChase,      // one thread's dependent loads
  kExchange,   // all threads read from, or write to, the peer's memory
  kBarrier,    // one barrier after another
  kSpread,     // blocks that each want an SM
  kMulticast,  // every block of a cluster reads the same
};

// One row of the CSV.
struct Config {
  Shape shape{};
  std::string_view variant;
  std::string_view op;         // the kernel is called <stem>_<op>, with larger chunks <stem>_<op>_32k
  std::uint32_t cluster = 1;   // blocks
  std::uint32_t distance = 0;  // the peer of rank r is r ^ distance
  std::uint32_t work = 0;      // steps of arithmetic
  std::string_view level;      // multicast: where the data lies, "dram" or "l2"
  std::uint32_t chunk = 0;     // multicast: bytes of a place in the ring
  std::uint32_t sms = 0;       // of the GPU
  bool small = false;          // for the smoke test

  std::string_view stem() const;
  std::string entry() const;
  std::uint32_t block() const;  // threads
  // Blocks, a multiple of `cluster`; `active`: clusters that run at once.
  std::uint32_t grid(std::uint32_t active) const;
  std::uint32_t steps() const;
  std::uint32_t shared_bytes() const;
  std::uint64_t out_words(std::uint32_t grid) const;
  std::uint32_t chunks() const;        // multicast: of the data, of 4 KiB whatever the ring has
  std::uint64_t useful_bytes() const;  // multicast: distinct bytes that a launch reads, each for `cluster` blocks; else 0
  bool global() const;                 // an exchange through global memory
  bool reads() const;                  // an exchange that reads
};

// sms: the GPU's, 0 where it does not tell.
std::vector<Config> all_configs(std::uint32_t sms, bool small);
