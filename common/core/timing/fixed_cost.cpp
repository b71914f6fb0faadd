#include "core/timing/fixed_cost.h"

#include <algorithm>
#include <memory>

#include "core/base/stats.h"

namespace bench {
namespace {

constexpr std::size_t kReadingsOfEach = 15;  // of each, per device
constexpr std::uint32_t kBatch = 64;

struct Readings {
  std::unique_ptr<Subject> nothing;
  std::unique_ptr<Subject> empty;
  std::vector<double> stamps = {};
  std::vector<double> single = {};
  std::vector<double> batch = {};

  void take(Cache cache) {
    stamps.push_back(nothing->time_device(sample_spec(cache, 1)).ns);
    single.push_back(empty->time_device(sample_spec(cache, 1)).ns);
    if (cache == Cache::kWarm) batch.push_back(empty->time_device(sample_spec(cache, kBatch)).ns);
  }
};

}  // namespace

std::vector<FixedCost> measure_fixed_costs(std::span<Device* const> devices, Cache cache) {
  std::vector<Readings> sides;
  for (Device* device : devices) {
    sides.push_back({.nothing = device->prepare(Nothing{}, {}), .empty = device->prepare(device->empty_launch(), {})});
  }
  for (std::size_t i = 0; i <= kReadingsOfEach; ++i) {
    // The first of each settles what it runs on, and is not kept.
    for (Readings& side : sides) side.take(cache);
    if (i == 0) {
      for (Readings& side : sides) side.stamps = side.single = side.batch = {};
    }
    std::reverse(sides.begin(), sides.end());
  }
  if (kReadingsOfEach % 2 == 0) std::reverse(sides.begin(), sides.end());
  std::vector<FixedCost> costs;
  for (const Readings& side : sides) {
    FixedCost& cost = costs.emplace_back();
    cost.stamps_ns = median(side.stamps);
    cost.single_ns = median(side.single);
    if (!side.batch.empty()) cost.launch_ns = std::max(0.0, (median(side.batch) - cost.single_ns) / (kBatch - 1));
  }
  return costs;
}

}  // namespace bench
