// The experiment's table: what a workgroup waits by, in which of the two APIs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "params.h"

inline constexpr int kNone = -1;

// How far a wait reaches.
enum class Reach : std::uint8_t { kThread, kSubgroup, kBlock };

struct Variant {
  const char* name;
  const char* stem;
  int glsl;  // specialization constant 1; kNone: CUDA alone
  bool cuda;
  Reach reach;     // of the exchange
  bool exchanges;  // also with words exchanged
  // A compiler leaves a workgroup's fences out where it is one subgroup, and so has nothing to order.
  std::uint32_t least_threads = 32;
};

inline constexpr Variant kVariants[] = {
    {"none", "barrier", EXP09_NONE, true, Reach::kThread, true},
    {"barrier", "barrier", EXP09_BARRIER, true, Reach::kBlock, true},
    {"control", "barrier", EXP09_CONTROL, false, Reach::kBlock, false},
    {"named", "barrier", kNone, true, Reach::kBlock, true},
    {"named_count", "barrier", kNone, true, Reach::kBlock, true},
    {"unaligned", "barrier", kNone, true, Reach::kBlock, true},
    {"barrier_or", "barrier", kNone, true, Reach::kBlock, true},
    {"memory_shared", "barrier", EXP09_MEMORY_SHARED, false, Reach::kThread, true},
    {"memory_then_barrier", "barrier", EXP09_MEMORY_THEN_BARRIER, false, Reach::kBlock, true},
    {"threadfence_block", "barrier", kNone, true, Reach::kThread, true},
    {"threadfence_block_then_barrier", "barrier", kNone, true, Reach::kBlock, true},
    {"fence_block", "barrier", EXP09_FENCE_BLOCK, true, Reach::kThread, true},
    {"fence_block_then_barrier", "barrier", EXP09_FENCE_BLOCK_THEN_BARRIER, true, Reach::kBlock, true},
    {"group_then_barrier", "barrier", EXP09_GROUP_THEN_BARRIER, false, Reach::kBlock, true},
    {"barrier_buffer", "barrier", EXP09_BARRIER_BUFFER, false, Reach::kBlock, true},
    {"barrier_device", "barrier_device", EXP09_NONE, true, Reach::kBlock, true},
    {"subgroup", "barrier", EXP09_SUBGROUP, true, Reach::kSubgroup, true},
    {"release_acquire", "release_acquire", EXP09_NONE, true, Reach::kBlock, true, 64},
    {"mbarrier", "mbarrier", kNone, true, Reach::kBlock, true},
    {"mbarrier_warp", "mbarrier", kNone, true, Reach::kBlock, true},
};

// One row of the CSV, or two twins.
struct Config {
  const Variant* variant = nullptr;
  std::uint32_t threads = 0;
  bool exchange = false;
  bool small = false;  // for a CPU, or the smoke test

  std::string entry() const { return std::string(variant->name) + (exchange ? "_exchange" : "_alone"); }
  std::uint32_t steps() const { return small ? 16 : 8192; }
  // Threads that exchange words with each other, `subgroup` of them being one.
  std::uint32_t group(std::uint32_t subgroup) const;
};

std::vector<Config> all_configs(const bench::Plan& plan);
