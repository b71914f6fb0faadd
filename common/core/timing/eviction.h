// Does the sweep that comes before a cold sample empty the caches?
#pragma once

#include <cstdint>
#include <string>

#include "core/device/device.h"

namespace bench {

// Why it does not seem to; empty if it does. `probe` is Device::cache_probe(): `loads` loads, each of which needs the one
// before, are timed as the launch before left the caches and after a sweep of `sweep_bytes`, in turn.
std::string eviction_doubt(Subject& probe, std::uint32_t loads, std::uint64_t sweep_bytes);

}  // namespace bench
