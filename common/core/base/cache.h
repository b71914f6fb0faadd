// State of the data when a timed launch starts.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

enum class Cache : std::uint8_t {
  kCold,  // L2 evicted before every sample; one launch a sample
  kWarm,  // back-to-back launches over the same data, after untimed ones
};
// "cold", "warm".
constexpr std::string_view to_string(Cache cache) { return cache == Cache::kCold ? "cold" : "warm"; }

}  // namespace bench
