#include "variants.h"

#include <fmt/format.h>

namespace {

constexpr std::uint32_t kBlocksPerSm = 8;  // of 256 threads: all that an SM holds
// Of a step: multiply-adds of a path, turns of a loop.
constexpr std::uint32_t kTurnsOfBranch = EXP09_WORK;
constexpr std::uint32_t kTurnsOfLoop = EXP09_BOUND;

}  // namespace

std::string Config::variant() const {
  constexpr const char* kNames[] = {"branch", "loop", "precision", "sum"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Config::entry() const {
  switch (kind) {
    case Kind::kBranch:
      return "branch";
    case Kind::kLoop:
      return "loop_" + loop;
    case Kind::kPrecision:
      return fmt::format("precision_{}_{}", function->name, mode);
    case Kind::kSum:
      return "sum_" + mode;
  }
  return "";
}

std::string_view Config::cuda_stem() const {
  constexpr const char* kStems[] = {"branch", "loop", "precision", "sum"};
  return kStems[static_cast<std::size_t>(kind)];
}

std::string Config::glsl_stem() const { return kind == Kind::kPrecision ? "precision_" + mode : entry(); }

std::uint32_t Config::blocks() const {
  if (kind == Kind::kPrecision) return small ? 16 : 4096;
  if (kind == Kind::kSum) return small ? 2 : 64;  // 16384 threads * 1024 terms * 4 B = 64 MiB
  return small ? 2 : sms * kBlocksPerSm;
}

std::uint64_t Config::elements() const {
  const std::uint64_t all = threads();
  switch (kind) {
    case Kind::kBranch:
      return all * steps() * kTurnsOfBranch;
    case Kind::kLoop:
      return all * steps() * kTurnsOfLoop;
    case Kind::kPrecision:
      return all;
    case Kind::kSum:
      return all * terms();
  }
  return 0;
}

std::vector<Config> all_configs(const bench::Plan& plan) {
  Config base;
  base.small = plan.cpu || plan.smoke;
  base.sms = plan.multiprocessors;
  std::vector<Config> configs;
  const auto add = [&](Kind kind, const auto& change) {
    Config config = base;
    config.kind = kind;
    change(config);
    configs.push_back(config);
  };
  for (const std::uint32_t shift : {0U, 5U}) {
    for (const std::uint32_t ways : {1U, 2U, 4U, 8U, 16U, 32U}) {
      if (shift != 0 && ways > 8) continue;  // warps of a block
      add(Kind::kBranch, [=](Config& config) {
        config.shift = shift;
        config.ways = ways;
      });
    }
  }
  for (const char* loop :
       {"literal", "literal_unroll", "literal_dont_unroll", "literal_guarded", "specialized", "specialized_unroll",
        "specialized_dont_unroll", "uniform", "uniform_dont_unroll", "uniform_guarded"}) {
    add(Kind::kLoop, [=](Config& config) {
      config.loop = loop;
      config.cuda = !config.loop.starts_with("specialized");
    });
  }
  for (const Function& function : kFunctions) {
    for (const char* mode : {"default", "precise", "fast"}) {
      add(Kind::kPrecision, [&](Config& config) {
        config.function = &function;
        config.mode = mode;
        config.vulkan = config.mode != "fast";
        config.cuda = config.mode == "default" || (config.mode == "precise" ? function.precise : function.fast);
      });
    }
  }
  for (const char* mode : {"plain", "compensated_default", "compensated_precise"})
    add(Kind::kSum, [=](Config& config) { config.mode = mode; });
  std::erase_if(configs, [](const Config& config) { return !config.cuda && !config.vulkan; });
  return configs;
}
