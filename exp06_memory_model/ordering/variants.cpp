#include "variants.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Cycles to expect of one operation on a large GPU of 2022 to 2024: only so that a launch takes about a millisecond.
double expected_cycles(const Config& config) {
  const bool in_l1 = is_one_of(config.scope.name, {"", "cta", "subgroup"});
  const bool sys = std::string_view(config.scope.name) == "sys";
  const bool fences =
      is_one_of(config.order.name, {"release", "release_bare", "acq_rel", "seq_cst", "fence", "fence_one_way", "fence_sc"});
  const double fence = !fences ? 0 : in_l1 ? 20 : sys ? 1500 : 700;
  switch (config.variant->op) {
    case Op::kLoad:
      return (in_l1 && config.resident_bytes <= kInL1 ? 40 : 290) + fence;
    case Op::kStore:
      return (in_l1 ? 80 : 600) + fence;
    case Op::kAdd:
    case Op::kCas:
      return 500 + fence;
    case Op::kFence:
      return 80 + config.in_flight_bytes / 40.0 + fence;
    case Op::kMessage:
      return 2 * (900 + fence);  // a round is two messages
  }
  return 0;
}

}  // namespace

std::string_view Config::cuda_stem() const {
  const bool one_way = std::string_view(order.name) == "fence_one_way" ||
                       (variant->op == Op::kFence && is_one_of(order.name, {"acquire", "release"}));
  return std::string_view(scope.name) == "cluster" || one_way ? "sm90" : variant->cuda;
}

std::string Config::entry() const {
  // library.cu has the three operations of one name: acquire loads, release stores and acq_rel additions.
  const bool library = std::string_view(variant->via) == "atomic_ref";
  const std::string name = library && is_one_of(order.name, {"acquire", "release"}) ? "acq_rel" : order.name;
  return std::string(variant->entry) + "_" + name + (*scope.name == '\0' ? "" : "_") + scope.name;
}

std::uint32_t Config::steps() const {
  if (variant->shape == Shape::kRate) {
    const bool fences = is_one_of(order.name, {"release", "acq_rel", "fence", "fence_one_way", "seq_cst"});
    return small || (fences && !is_one_of(scope.name, {"cta", "subgroup"})) ? 32 : 512;
  }
  constexpr double kLaunchCycles = 3e6;  // 0.75 to 1.5 ms at 2 GHz, the rounding included
  const auto steps =
      std::bit_floor(static_cast<std::uint32_t>(std::clamp(kLaunchCycles / expected_cycles(*this), 256., 32768.)));
  // lavapipe ends a kernel's loops after 65535 turns, and a message may take it many.
  return small ? std::min(steps, variant->shape == Shape::kMessage ? 2U : 256U) : steps;
}

std::uint32_t Config::block() const { return variant->shape == Shape::kRate || variant->shape == Shape::kFence ? 256 : 1; }

std::uint32_t Config::grid() const {
  if (variant->shape == Shape::kMessage) return 2;
  return variant->shape == Shape::kRate ? (small ? 8 : resident_blocks) : 1;
}

std::uint64_t Config::words() const {
  switch (variant->shape) {
    case Shape::kChain:
      return resident_bytes == 0 ? 1 : resident_bytes / 4;
    case Shape::kRate:
      return std::uint64_t{threads()} * 16;  // H200: 16 MiB, in L2, and no SM comes back to a line while it is in its L1
    case Shape::kFence:
      return small ? 64U << 10 : std::min<std::uint64_t>(2U << 20, std::bit_floor(l2_bytes / 2) / 4);  // 8 MiB at most: in L2
    case Shape::kMessage:
      return std::uint64_t{4} * EXP06_LINE;
  }
  return 0;
}

std::uint64_t Config::elements() const {
  if (variant->shape == Shape::kMessage) return std::uint64_t{2} * steps();
  return variant->shape == Shape::kRate ? std::uint64_t{threads()} * steps() : steps();
}

std::vector<Config> all_configs(const bench::Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  // H200: 1024 of the 1056 that 132 SMs hold at once.
  const std::uint32_t resident_blocks = std::bit_floor(plan.resident_blocks(256));
  std::vector<Config> configs;
  for (const Variant& variant : kVariants) {
    for (const std::uint32_t in_flight : variant.in_flight_bytes) {
      for (const std::uint32_t resident : variant.resident_bytes) {
        // One size of each kernel is enough where no time is asked for.
        if (small && (in_flight != variant.in_flight_bytes.back() || resident != variant.resident_bytes.back())) continue;
        for (const Order& order : variant.orders) {
          const bool scoped = !is_one_of(order.name, {"weak", "none"});
          for (const Scope& scope : scoped ? variant.scopes : std::vector{kNoScope}) {
            const Config config{&variant, order, scope, resident, in_flight, small, resident_blocks, plan.l2_bytes};
            if (config.has_cuda() || config.has_vulkan()) configs.push_back(config);
          }
        }
      }
    }
  }
  return configs;
}
