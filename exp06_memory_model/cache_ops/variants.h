// The experiment's table: every operator and hint that PTX has for a global load or store, every qualifier that GLSL has, and
// what is done with each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "params.h"

// An operator's name in CUDA's entries and GLSL's files; `plain` and `volatile` mean the same in both and are twins.
struct Op {
  const char* name;
  bool cuda;
  bool vulkan;
  bool loads = true;
  bool stores = true;
  bool slow = false;  // for device registers, not for data: a small stream is enough
};

inline const std::vector<Op> kOps = {
    {"plain", true, true},
    {"ca", true, false, true, false},
    {"wb", true, false, false, true},
    {"cg", true, false},
    {"cs", true, false},
    {"lu", true, false, true, false},
    {"cv", true, false, true, false},
    {"wt", true, false, false, true},
    {"volatile", true, true},
    {"mmio", true, false, true, true, true},
    {"nc", true, false, true, false},
    {"l1_evict_first", true, false},
    {"l1_evict_last", true, false},
    {"l1_evict_unchanged", true, false},
    {"l1_no_allocate", true, false},
    {"l2_64b", true, false, true, false},
    {"l2_128b", true, false, true, false},
    {"l2_256b", true, false, true, false},
    {"nc_no_allocate_256b", true, false, true, false},
    {"l2_evict_first", true, false},
    {"l2_evict_last", true, false},
    {"readonly", false, true, true, false},
    {"restrict", false, true},
    {"coherent", false, true},
    {"private", false, true},
    {"nonprivate", false, true},
    {"subgroupcoherent", false, true, true, false},
    {"workgroupcoherent", false, true},
    {"queuefamilycoherent", false, true},
    {"devicecoherent", false, true},
};

enum class Kind : std::uint8_t { kStream, kFill, kReuse, kReuseReadOnly, kKeep };

// Where a block or the grid should find its reuse set again.
struct Level {
  const char* name;
  std::uint64_t reuse_bytes;                // l1: a block's; l2: the grid's
  std::vector<std::uint64_t> stream_bytes;  // read between two visits, likewise
  std::uint32_t shift;                      // in L2 it is another block, on another SM, that comes back to a part
};

// One row of the CSV, or two twins.
struct Config {
  Kind kind{};
  Op op{};
  std::string level;               // "" for a plain stream
  std::uint64_t reuse_bytes = 0;   // as in Level
  std::uint64_t stream_bytes = 0;  // as in Level; stream and fill: of a launch
  std::uint32_t block = 0;
  std::uint32_t grid = 0;
  std::uint64_t stream_words = 0;  // of the stream's buffer, a power of two
  CacheParams params{};

  const char* variant() const;  // "stream" and so on
  std::string entry() const { return std::string(variant()) + "_" + op.name; }
  bool has_reuse() const { return kind != Kind::kStream && kind != Kind::kFill; }
  bool has_cuda() const;
  bool has_vulkan() const { return op.vulkan && kind != Kind::kReuse && kind != Kind::kKeep; }
  std::uint64_t threads() const { return std::uint64_t{block} * grid; }
  std::uint64_t reuse_words() const { return std::uint64_t{params.reuse_words} * grid; }
  std::uint64_t accesses() const;  // of a launch
};

// All configurations; the stream's buffer may take `most_bytes`. `small`: for a CPU, or the smoke test.
std::vector<Config> all_configs(bool small, std::uint64_t most_bytes);
