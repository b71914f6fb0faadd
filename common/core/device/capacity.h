// What cases are sized by: a GPU's caches and how many threads it holds, and what is assumed where no API tells.
#pragma once

#include <cstdint>
#include <span>

#include "core/device/device.h"

namespace bench {

// A software device has no L2 to evict: a small sweep keeps the same path alive.
inline constexpr std::uint64_t kCpuL2Bytes = 1ULL << 20;
// The least L2 of a discrete GPU since 2020 (RTX 3050, RX 6600: 2 MiB): what is to lie in a cache does.
inline constexpr std::uint64_t kLeastL2Bytes = 2ULL << 20;
// The largest cache of a GPU since 2020 (AMD Instinct MI300X: 256 MiB of Infinity Cache): what is to stream does.
inline constexpr std::uint64_t kLargestCacheBytes = 256ULL << 20;
// Fewer than all but the smallest GPUs have: blocks that are to be there all at once are.
inline constexpr std::uint32_t kUnknownMultiprocessors = 16;
inline constexpr std::uint32_t kUnknownResidentThreads = 1024;
inline constexpr std::uint32_t kCpuMultiprocessors = 4;

struct Capacity {
  std::uint64_t l2_bytes = 0;          // that the L2 holds at least
  std::uint64_t dram_bytes = 0;        // a footprint of so many streams from memory
  std::uint64_t sweep_bytes = 0;       // that evict every cache when they are read; less where memory has no room
  std::uint32_t multiprocessors = 0;   // SMs, or compute units; never 0
  std::uint32_t resident_threads = 0;  // that an SM holds; 0: no API tells
};

// By what the APIs tell of the devices that will run, one of each API.
Capacity capacity_of(std::span<const DeviceInfo> devices);

}  // namespace bench
