#include "variants.h"

#include <algorithm>

std::uint32_t Config::group(std::uint32_t subgroup) const {
  switch (variant->reach) {
    case Reach::kThread:
      return 1;
    case Reach::kSubgroup:
      return std::min(subgroup, threads);
    case Reach::kBlock:
      return threads;
  }
  return 1;
}

std::vector<Config> all_configs(const bench::Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  std::vector<Config> configs;
  for (const Variant& variant : kVariants) {
    for (const std::uint32_t threads : {32U, 64U, 128U, 256U, 512U, 1024U}) {
      if (threads < variant.least_threads) continue;
      const bool coarse = threads == 32 || threads == 256 || threads == 1024;
      if ((plan.quick || small) && !coarse) continue;
      configs.push_back({&variant, threads, false, small});
      if (variant.exchanges && coarse) configs.push_back({&variant, threads, true, small});
    }
  }
  return configs;
}
