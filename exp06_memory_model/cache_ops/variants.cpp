#include "variants.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

namespace {

constexpr std::uint64_t kKi = 1024;
constexpr std::uint64_t kMi = 1024 * kKi;

// 1024 threads are a block an SM in practice: 128 blocks go to 128 SMs before any gets a second.
constexpr std::uint32_t kBlock = 1024;
constexpr std::uint32_t kGrid = 128;

const std::vector<Level> kLevels = {
    {"l1", 64 * kKi, {0, 64 * kKi, 192 * kKi, 512 * kKi}, 0},
    {"l2", 24 * kMi, {0, 16 * kMi, 64 * kMi, 256 * kMi}, 37},
};
// With blocks of 256 threads, 4 of them.
const std::vector<Level> kSmallLevels = {
    {"l1", 8 * kKi, {0, 8 * kKi}, 0},
    {"l2", 32 * kKi, {0, 32 * kKi}, 1},
};

Config streaming(Kind kind, const Op& op, bool small, std::uint64_t stream_words) {
  Config config;
  config.kind = kind;
  config.op = op;
  config.block = 256;
  config.grid = small ? 4 : 1024;
  config.stream_words = stream_words;
  // 2^27 words * 4 B = 512 MiB: several times any L2.
  const std::uint64_t words = std::min(stream_words, std::uint64_t{1} << (small ? 14 : op.slow ? 22 : 27));
  config.stream_bytes = words * 4;
  config.params = {.stream_words = static_cast<std::uint32_t>(words / config.threads()),
                   .stream_mask = static_cast<std::uint32_t>(stream_words - 1),
                   .reuse_words = 0,
                   .rounds = 0,
                   .shift = 0,
                   .advance = EXP06_UNROLL};
  return config;
}

Config reusing(Kind kind, const Op& op, const Level& level, std::uint64_t stream_bytes, bool small,
               std::uint64_t stream_words) {
  Config config = {.kind = kind,
                   .op = op,
                   .level = level.name,
                   .reuse_bytes = level.reuse_bytes,
                   .stream_bytes = stream_bytes,
                   .block = small ? 256U : kBlock,
                   .grid = small ? 4U : kGrid,
                   .stream_words = stream_words,
                   .params = {}};
  const bool l1 = config.level == "l1";
  const std::uint64_t blocks = l1 ? 1 : config.grid;  // that share the level's bytes
  const auto words = [blocks](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4 / blocks); };
  // L1: what passes comes from L2, 16 MiB of it, so that only L1 makes a difference. L2: from all of the buffer, so that none
  // of it is there any more when it comes again.
  const std::uint64_t area = l1 ? std::min(stream_words, 4 * kMi) : stream_words;
  const std::uint64_t rounds = small ? 3 : l1 ? 16 : std::clamp<std::uint64_t>(512 * kMi / std::max(stream_bytes, kMi), 4, 16);
  config.params = {
      words(stream_bytes), static_cast<std::uint32_t>(area - 1), words(level.reuse_bytes), static_cast<std::uint32_t>(rounds),
      level.shift,         EXP06_UNROLL * config.block};
  return config;
}

bool is_keep(const Op& op) {
  return op.name == std::string_view("l1_evict_last") || op.name == std::string_view("l2_evict_last");
}

}  // namespace

const char* Config::variant() const {
  switch (kind) {
    case Kind::kStream:
      return "stream";
    case Kind::kFill:
      return "fill";
    case Kind::kReuse:
      return "reuse";
    case Kind::kReuseReadOnly:
      return "reuse_ro";
    case Kind::kKeep:
      return "keep";
  }
  return "";
}

bool Config::has_cuda() const {
  if (kind != Kind::kReuseReadOnly) return op.cuda;
  const std::string_view beside[] = {"plain", "cg", "cs", "volatile", "l1_evict_first", "l1_no_allocate"};  // as operators.cuh
  return std::find(std::begin(beside), std::end(beside), op.name) != std::end(beside);
}

std::uint64_t Config::accesses() const {
  if (!has_reuse()) return stream_bytes / 4;
  return std::uint64_t{params.rounds} * grid * (std::uint64_t{params.stream_words} + params.reuse_words);
}

std::vector<Config> all_configs(bool small, std::uint64_t most_bytes) {
  const std::uint64_t stream_words = std::bit_floor(std::min(small ? 256 * kKi : 1024 * kMi, most_bytes)) / 4;
  std::vector<Config> configs;
  for (const Op& op : kOps) {
    if (op.loads) configs.push_back(streaming(Kind::kStream, op, small, stream_words));
  }
  for (const Op& op : kOps) {
    if (op.stores) configs.push_back(streaming(Kind::kFill, op, small, stream_words));
  }
  for (const Level& level : small ? kSmallLevels : kLevels) {
    for (const std::uint64_t bytes : level.stream_bytes) {
      for (const Op& op : kOps) {
        // Without a stream there is nothing for an operator to do.
        if (!op.loads || op.slow || (bytes == 0 && op.name != std::string_view("plain"))) continue;
        for (const Kind kind : {Kind::kReuse, Kind::kReuseReadOnly, Kind::kKeep}) {
          if (kind == Kind::kKeep && !is_keep(op)) continue;
          const Config config = reusing(kind, op, level, bytes, small, stream_words);
          if (config.has_cuda() || config.has_vulkan()) configs.push_back(config);
        }
      }
    }
  }
  return configs;
}
