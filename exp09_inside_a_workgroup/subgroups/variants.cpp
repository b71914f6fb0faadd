#include "variants.h"

#include <fmt/format.h>

namespace {

const char* declared(bench::Reconvergence reconvergence) {
  using bench::Reconvergence;
  return reconvergence == Reconvergence::kUniform ? "_uniform" : reconvergence == Reconvergence::kMaximal ? "_maximal" : "";
}

}  // namespace

// A module that declares more is another kernel: its listing is nobody's twin.
std::string Config::entry() const {
  return fmt::format("{}_{}_{}{}", variant(), operation->name, even ? "even" : "all", declared(reconvergence));
}

std::string Config::glsl_stem() const { return fmt::format("{}_{}{}", operation->set, variant(), declared(reconvergence)); }

std::string_view Config::subgroups() const {
  using bench::Reconvergence;
  if (full) return "full";
  return reconvergence == Reconvergence::kUniform ? "uniform" : reconvergence == Reconvergence::kMaximal ? "maximal" : "";
}

std::uint64_t Config::operations() const { return rate ? std::uint64_t{blocks()} * block() * steps() * EXP09_CHAINS : steps(); }

std::vector<Config> all_configs(const bench::Plan& plan) {
  const bool small = plan.cpu || plan.smoke;
  std::vector<Config> configs;
  for (const Operation& operation : kOperations) {
    for (const bool rate : {false, true}) {
      configs.push_back({&operation, rate, false, false, {}, plan.multiprocessors, small});
      if (operation.of_some) configs.push_back({&operation, rate, true, false, {}, plan.multiprocessors, small});
      if (!rate && operation.set != "groups")
        configs.push_back({&operation, rate, false, true, {}, plan.multiprocessors, small});
    }
  }
  // On a device of their own, one after another.
  for (const bench::Reconvergence declared : {bench::Reconvergence::kUniform, bench::Reconvergence::kMaximal}) {
    for (const Operation& operation : kOperations) {
      if (operation.set != "basic") continue;
      for (const bool rate : {false, true})
        configs.push_back({&operation, rate, false, false, declared, plan.multiprocessors, small});
    }
  }
  return configs;
}
