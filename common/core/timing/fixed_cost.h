// What a sample reads where there is nothing to measure: a pair of stamps costs something, and so does every launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device/device.h"

namespace bench {

// Medians, ns. They differ between the APIs, and for one API between hosts.
struct FixedCost {
  double stamps_ns = 0;  // an empty pair of stamps
  double single_ns = 0;  // one empty launch between them
  double launch_ns = 0;  // each further one between the same two

  // Per launch of a sample of `batch`.
  double stamps_of(std::uint32_t batch) const { return stamps_ns / batch; }
  double of(std::uint32_t batch) const { return (single_ns + (batch - 1) * launch_ns) / batch; }
};

// Of each device, in samples as this kind of cache has them. The devices take turns, as the sampler's sides do. Cold: their
// evictors have a size. Throws Error.
std::vector<FixedCost> measure_fixed_costs(std::span<Device* const> devices, Cache cache);

}  // namespace bench
