#include "variants.h"

#include <fmt/format.h>

#include <algorithm>

namespace {

constexpr std::uint32_t kSourceGrid = 128;  // blocks
constexpr std::uint32_t kChunksOfDram = (256U << 20) / EXP06_CHUNK_BYTES;
constexpr std::uint32_t kChunksOfL2 = (16U << 20) / EXP06_CHUNK_BYTES;
constexpr std::uint32_t kLargeChunk = EXP06_RING_WARPS * EXP06_CHUNK_BYTES;  // of one ring a block
constexpr std::uint32_t kSpreadBlocksPerSm = 8;
constexpr std::uint32_t kSpreadWork = 2048;  // 9 us and more
constexpr std::uint32_t kSplitWork = 64;     // steps of some 9 cycles: more than a barrier takes

struct Peer {
  std::uint32_t cluster, distance;
};

// A multicast's: the bytes of a place, and what runs with such.
struct Ring {
  std::uint32_t chunk;
  std::vector<std::string_view> ops;
};

}  // namespace

std::string_view Config::stem() const {
  switch (shape) {
    case Shape::kExample:
      return "example";
    case Shape::kRounds:
      return "rounds";
    case Shape::kChase:
      return "chase";
    case Shape::kExchange:
      return "exchange";
    case Shape::kBarrier:
      return "barrier";
    case Shape::kSpread:
      return "spread";
    case Shape::kMulticast:
      return "multicast";
  }
  return "";
}

std::string Config::entry() const {
  if (shape == Shape::kSpread) return "spread";
  return fmt::format("{}_{}{}", stem(), op, chunk == kLargeChunk ? "_32k" : "");
}

std::uint32_t Config::block() const {
  switch (shape) {
    case Shape::kExample:
      return op == "dsmem" ? 4 : 32;
    case Shape::kExchange:
      return 1024;
    case Shape::kBarrier:
      return 256;
    case Shape::kMulticast:
      return 32 * (EXP06_RING_WARPS + (op.ends_with("_producer") ? 1 : 0));
    default:
      return 32;
  }
}

std::uint32_t Config::grid(std::uint32_t active) const {
  switch (shape) {
    case Shape::kExample:
      return 8;
    case Shape::kChase:
      return cluster;
    case Shape::kExchange:
    case Shape::kMulticast:
      return (small ? std::min(active, 2U) : active) * cluster;
    case Shape::kSpread:
      return (kSpreadBlocksPerSm * std::max(sms, 1U) + cluster - 1) / cluster * cluster;
    default:
      return op == "grid_counter" ? std::max(sms, 1U) : kSourceGrid;
  }
}

std::uint32_t Config::steps() const {
  switch (shape) {
    case Shape::kRounds:
      return small ? 100 : 10'000;  // the source's
    case Shape::kChase:
      return small ? 64 : 4096;
    case Shape::kExchange:
      return small ? 8 : 512;  // 16 MiB a block
    case Shape::kBarrier:
      return small ? 64 : op.ends_with("counter") ? 2048 : 8192;
    case Shape::kMulticast:
      return level == "l2" ? (small ? 2 : 16) * chunks() : chunks();
    default:
      return 1;
  }
}

// An SM has room for one such block of exchange (160 KiB), multicast (128 KiB) or spread only.
std::uint32_t Config::shared_bytes() const {
  switch (shape) {
    case Shape::kExchange:
      return (EXP06_SLOTS + 1) * EXP06_SLOT_BYTES + EXP06_SLOTS * 8;
    case Shape::kMulticast:
      return EXP06_RING_WARPS * EXP06_CHUNK_BYTES / chunk * EXP06_STAGES * (chunk + 2 * 8);
    case Shape::kSpread:
      return kAlone;
    default:
      return 0;
  }
}

std::uint64_t Config::out_words(std::uint32_t grid) const {
  if (shape != Shape::kExample) return std::uint64_t{grid} * EXP06_RECORD_WORDS;
  return std::uint64_t{grid} * (op == "dsmem" ? block() : EXP06_EXAMPLE_TILE);
}

std::uint32_t Config::chunks() const {
  if (small) return 256;
  return level == "l2" ? kChunksOfL2 : kChunksOfDram;
}

std::uint64_t Config::useful_bytes() const {
  return shape == Shape::kMulticast ? std::uint64_t{steps()} * EXP06_CHUNK_BYTES : 0;
}

bool Config::global() const { return shape == Shape::kExchange && op.ends_with("_global"); }
bool Config::reads() const { return shape == Shape::kExchange && op.starts_with("read"); }

std::vector<Config> all_configs(std::uint32_t sms, bool small) {
  std::vector<Config> list;
  const auto add = [&](Shape shape, std::string_view variant, std::string_view op, Peer peer, std::uint32_t work = 0,
                       std::string_view level = "", std::uint32_t chunk = 0) {
    list.push_back({.shape = shape,
                    .variant = variant,
                    .op = op,
                    .cluster = peer.cluster,
                    .distance = peer.distance,
                    .work = work,
                    .level = level,
                    .chunk = chunk,
                    .sms = sms,
                    .small = small});
  };
  for (const std::string_view op : {"dsmem", "multicast"}) add(Shape::kExample, "example", op, {8, 0});
  for (const std::string_view op :
       {"standard", "low_latency", "sync", "no_barrier", "one_thread", "one_thread_cta", "poll", "global"})
    add(Shape::kRounds, "rounds", op, {8, 1});
  for (const std::string_view op : {"one_thread_cta", "poll", "global"}) {
    for (const Peer peer : {Peer{2, 1}, Peer{4, 2}, Peer{8, 4}, Peer{16, 8}}) add(Shape::kRounds, "rounds", op, peer);
  }

  add(Shape::kChase, "latency", "local", {1, 0});
  for (const Peer peer : {Peer{1, 0}, Peer{2, 1}, Peer{4, 2}, Peer{8, 4}, Peer{16, 8}})
    add(Shape::kChase, "latency", "load", peer);
  for (const Peer peer : {Peer{1, 0}, Peer{2, 1}, Peer{8, 4}}) add(Shape::kChase, "latency", "atom", peer);
  add(Shape::kChase, "latency", "l2", {1, 0});

  for (const std::string_view op : {"read_local", "write_local"}) add(Shape::kExchange, "exchange", op, {1, 0});
  for (const std::string_view op : {"read", "write", "st_async", "bulk"}) {
    // To one's own block a bulk copy or st.async works, and compute-sanitizer calls it an error (the block is no "remote CTA").
    if (op == "read" || op == "write") add(Shape::kExchange, "exchange", op, {1, 0});
    for (const Peer peer : {Peer{2, 1}, Peer{4, 2}, Peer{8, 4}, Peer{8, 1}, Peer{16, 8}, Peer{16, 1}})
      add(Shape::kExchange, "exchange", op, peer);
  }
  for (const std::string_view op : {"read_global", "write_global"}) add(Shape::kExchange, "exchange", op, {2, 1});

  add(Shape::kBarrier, "barrier", "syncthreads", {1, 0});
  for (const std::string_view op : {"release", "relaxed"}) {
    for (const std::uint32_t cluster : {1U, 2U, 4U, 8U, 16U}) add(Shape::kBarrier, "barrier", op, {cluster, 0});
  }
  for (const std::uint32_t cluster : {2U, 4U, 8U, 16U}) add(Shape::kBarrier, "barrier", "counter", {cluster, 0});
  add(Shape::kBarrier, "barrier", "grid_counter", {1, 0});
  for (const std::string_view op : {"release_before", "release_between", "relaxed_before", "relaxed_between"})
    add(Shape::kBarrier, "barrier", op, {8, 0}, kSplitWork);

  for (std::uint32_t cluster = 1; cluster <= 16; ++cluster)
    add(Shape::kSpread, "spread", "", {cluster, 0}, small ? 16 : kSpreadWork);

  const std::vector<Ring> rings = {{EXP06_CHUNK_BYTES, {"own", "one", "split", "one_cluster", "split_cluster"}},
                                   {kLargeChunk, {"own", "one", "split", "one_sync", "own_producer", "one_producer"}}};
  for (const std::string_view level : {"dram", "l2"}) {
    for (const auto& [chunk, ops] : rings) {
      add(Shape::kMulticast, "multicast", "own", {1, 0}, 0, level, chunk);
      for (const std::uint32_t cluster : {2U, 4U, 8U, 16U}) {
        for (const std::string_view op : ops) add(Shape::kMulticast, "multicast", op, {cluster, 0}, 0, level, chunk);
      }
    }
  }
  return list;
}
