#include "variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "bank_model.h"
#include "core/experiment/access_model.h"

namespace {

constexpr std::uint32_t kBlocksPerSm = 4;    // of 256 threads: 32 warps keep one SM's shared memory busy
constexpr std::uint32_t kHoldersPerSm = 16;  // more than an SM holds of any size asked for
constexpr std::uint32_t kSmallBlocks = 4;

}  // namespace

std::string Config::variant() const {
  constexpr const char* kNames[] = {"read", "write", "structs", "channels", "capacity"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Config::stem() const {
  if (kind == Kind::kStructs) return fmt::format("structs_{}", layout->name);
  return kind == Kind::kRead || kind == Kind::kWrite ? fmt::format("{}_{}", variant(), bytes) : variant();
}

std::string Config::entry() const {
  if (kind == Kind::kStructs) return fmt::format("{}_{}", stem(), fields);
  return kind == Kind::kChannels ? fmt::format("channels_{}", weights->name) : stem();
}

std::uint32_t Config::blocks() const {
  if (kind == Kind::kChannels) return side() * side();
  return small ? kSmallBlocks : sms * (kind == Kind::kCapacity ? kHoldersPerSm : kBlocksPerSm);
}

std::uint64_t Config::accesses() const {
  const std::uint64_t threads = std::uint64_t{blocks()} * block();
  if (kind == Kind::kChannels) return threads * EXP09_HALF;
  if (kind == Kind::kCapacity) return std::uint64_t{blocks()} * (asked_bytes / 4);
  const std::uint32_t each = kind == Kind::kStructs && fields == 4 && layout->access_bytes == 4 ? 4 : 1;
  return threads * turns() * EXP09_UNROLL * each;
}

std::uint32_t Config::wavefronts() const {
  if (!is_rate()) return 0;
  return bench::warp_wavefronts(access_bytes(), [this](std::uint32_t lane) -> std::uint64_t {
    if (kind == Kind::kStructs) return std::uint64_t{lane} * layout->stride_words * 4;
    return std::uint64_t{first_element(lane, stride, pad)} * bytes;
  });
}

std::uint64_t Config::launch_wavefronts() const {
  if (!is_rate()) return 0;
  // Filling the table, and summing it up after stores: whole warps side by side.
  const std::uint64_t warps_of_table = EXP09_TABLE / bench::kWarpLanes;
  std::uint64_t once = warps_of_table * (bytes / 4) * (kind == Kind::kWrite ? 2 : 1);
  if (kind == Kind::kStructs) {
    // Two warps' worth of structures, four words each: as conflict-prone as the reads, unless they are stored whole.
    const std::uint32_t stride_words = layout->stride_words;
    const auto word = [=](std::uint32_t lane) { return std::uint64_t{lane} * stride_words * 4; };
    const bool whole = layout->access_bytes == 16;
    once = EXP09_STRUCTS / bench::kWarpLanes * (whole ? bench::warp_wavefronts(16, word) : 4 * bench::warp_wavefronts(4, word));
  }
  return blocks() * once + accesses() / bench::kWarpLanes * wavefronts();
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
  for (const std::uint32_t bytes : {4U, 8U, 16U}) {
    for (std::uint32_t stride = 1; stride <= 33; ++stride) {
      const bool has_stores = stride == 1 || stride == 2 || stride == 3 || stride == 4 || stride == 8 || stride == 16 ||
                              stride == 32 || stride == 33;
      if (base.small && !has_stores) continue;
      const auto change = [=](Config& config) {
        config.bytes = bytes;
        config.stride = stride;
      };
      add(Kind::kRead, change);
      if (bytes == 4) {
        add(Kind::kRead, [=](Config& config) {
          change(config);
          config.pad = 1;
        });
      }
      if (has_stores) add(Kind::kWrite, change);
    }
  }
  for (const Layout& layout : kLayouts) {
    for (const std::uint32_t fields : {1U, 4U}) {
      add(Kind::kStructs, [&](Config& config) {
        config.layout = &layout;
        config.fields = fields;
        config.stride = 1;
      });
    }
  }
  for (const Weights& weights : kWeights) add(Kind::kChannels, [&](Config& config) { config.weights = &weights; });
  // 227 KiB are what an H200 says a block may have, and refuses: the most that it grants lies below.
  for (const std::uint32_t kib : {16U, 48U, 100U, 226U, 227U})
    add(Kind::kCapacity, [=](Config& config) { config.asked_bytes = kib << 10; });
  return configs;
}
