// From two timestamp queries to nanoseconds.
#pragma once

#include <cstdint>

namespace bench::vulkan {

// Nanoseconds from `begin` to `end`, two raw timestamps of a queue family with `valid_bits` (1 ... 64) meaningful bits.
// The difference is right across one wrap-around; ticks_to_ns is VkPhysicalDeviceLimits::timestampPeriod, which need not be
// whole. Source: Vulkan 1.3, section 18.5 "Timestamp Queries".
constexpr double elapsed_ns(std::uint64_t begin, std::uint64_t end, std::uint32_t valid_bits, double ticks_to_ns) {
  const std::uint64_t mask = valid_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << valid_bits) - 1;
  return static_cast<double>((end - begin) & mask) * ticks_to_ns;
}

}  // namespace bench::vulkan
