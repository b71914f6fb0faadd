#include "core/experiment.h"

#include <algorithm>

#include "core/error.h"

namespace bench {
namespace {

// 33 warps: more than one block of any size but the largest, and a last block that is not full.
constexpr std::uint64_t kSmokeElements = 33 * 32;

void check_fits(std::uint64_t elements, std::uint64_t bytes_per_element, std::uint64_t max_buffer_bytes) {
  const std::uint64_t most = max_buffer_bytes / bytes_per_element / 32 * 32;
  if (elements % 32 != 0) throw UsageError("--size {}: sizes are multiples of 32 elements, one warp", elements);
  if (elements > most) {
    throw UsageError("--size {}: one buffer would take {} bytes of the {} that fit; the largest size here is {}", elements,
                     elements * bytes_per_element, max_buffer_bytes, most);
  }
}

}  // namespace

std::vector<std::uint64_t> Plan::sizes_or(std::uint32_t first_log2, std::uint32_t last_log2, std::uint32_t step,
                                          std::uint64_t bytes_per_element) const {
  if (!sizes.empty()) {
    for (const std::uint64_t size : sizes) check_fits(size, bytes_per_element, wished_buffer_bytes);
    return sizes;
  }
  if (smoke) return {kSmokeElements};
  const std::uint64_t last = largest(last_log2, bytes_per_element);
  std::vector<std::uint64_t> result;
  for (std::uint64_t size = 1ULL << first_log2; size < last; size <<= step) result.push_back(size);
  result.push_back(last);
  return result;
}

std::uint64_t Plan::largest(std::uint32_t limit_log2, std::uint64_t bytes_per_element) const {
  if (!sizes.empty()) {
    const std::uint64_t size = *std::max_element(sizes.begin(), sizes.end());
    check_fits(size, bytes_per_element, wished_buffer_bytes);
    return size;
  }
  if (smoke) return kSmokeElements;
  std::uint64_t size = 1ULL << limit_log2;
  while (size > 32 && size * bytes_per_element > max_buffer_bytes) size >>= 1;
  return size;
}

std::vector<Cache> Plan::caches_for(std::uint64_t footprint_bytes) const {
  if (footprint_bytes == 0) return {Cache::kWarm};
  if (!caches.empty()) return caches;
  return {is_dram(footprint_bytes) ? Cache::kCold : Cache::kWarm};
}

Case twin(const std::string& variant, const std::vector<std::string>& params,
          const std::function<Prepared(Workbench&)>& set_up) {
  Case result;
  for (const Api api : {Api::kCuda, Api::kVulkan}) result.sides.push_back({api, variant, params, set_up});
  return result;
}

std::vector<Case> aa_controls(const Case& original) {
  std::vector<Case> controls;
  for (const Side& side : original.sides) {
    Case control = original;
    control.sides = {side, side};
    control.sides[0].variant = "aa_control_a";
    control.sides[1].variant = "aa_control_b";
    controls.push_back(std::move(control));
  }
  return controls;
}

}  // namespace bench
