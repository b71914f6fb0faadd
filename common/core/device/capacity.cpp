#include "core/device/capacity.h"

#include <algorithm>

namespace bench {

Capacity capacity_of(std::span<const DeviceInfo> devices) {
  const bool cpu = std::all_of(devices.begin(), devices.end(), [](const DeviceInfo& one) { return one.is_cpu; });
  Capacity result;
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  for (const DeviceInfo& one : devices) {
    result.l2_bytes = std::max(result.l2_bytes, one.l2_bytes);
    result.multiprocessors = std::max(result.multiprocessors, one.multiprocessors);
    result.resident_threads = std::max(result.resident_threads, one.resident_threads);
    if (one.memory_bytes != 0) memory_bytes = std::min(memory_bytes, one.memory_bytes);
  }
  if (cpu && result.l2_bytes == 0) result.l2_bytes = kCpuL2Bytes;
  const bool told = result.l2_bytes != 0;
  if (!told) result.l2_bytes = kLeastL2Bytes;
  // Twice the largest cache is already more than twice any but that one.
  result.dram_bytes = told ? 4 * result.l2_bytes : 2 * kLargestCacheBytes;
  result.sweep_bytes = 2 * (told ? result.l2_bytes : kLargestCacheBytes);
  // Each API has a sweep of its own.
  result.sweep_bytes = std::min(result.sweep_bytes, memory_bytes / 8);
  if (result.multiprocessors == 0) result.multiprocessors = cpu ? kCpuMultiprocessors : kUnknownMultiprocessors;
  return result;
}

}  // namespace bench
