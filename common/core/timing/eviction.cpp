#include "core/timing/eviction.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/stats.h"

namespace bench {
namespace {

constexpr int kReadings = 7;
// An H200's L2 answers in 270 cycles, its memory in 700 and more; no GPU's memory is less than half as slow again.
constexpr double kLeastRatio = 1.3;

}  // namespace

std::string eviction_doubt(Subject& probe, std::uint32_t loads, std::uint64_t sweep_bytes) {
  std::vector<double> cached;
  std::vector<double> swept;
  for (int i = 0; i < kReadings; ++i) {
    cached.push_back(probe.time_device(sample_spec(Cache::kWarm, 1)).ns);
    swept.push_back(probe.time_device(sample_spec(Cache::kCold, 1)).ns);
  }
  const double cached_ns = median(cached) / loads;
  const double swept_ns = median(swept) / loads;
  if (swept_ns >= kLeastRatio * cached_ns) return "";
  return fmt::format(
      "the sweep of {} MiB before each cold sample does not empty the caches: a load takes {:.0f} ns after it and {:.0f} ns "
      "without, so cold rows may be warm",
      sweep_bytes >> 20, swept_ns, cached_ns);
}

}  // namespace bench
