// Data on their way between two GPUs: which mechanism, which way, how many SMs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../block_sums.h"
#include "core/experiment/experiment.h"

enum class Engine : std::uint8_t { kPlain, kBulk, kTensor, kApi };

// A variant. Its kernel's buffers, in this order and where it has them: the peer's that it loads from (`in`), this GPU's that
// it copies from, the peer's that it stores to (`out`), the sums of what it loaded.
struct Mechanism {
  std::string_view name;
  Engine engine;
  bool in;
  bool out;
  std::string_view text;

  std::string_view direction() const { return in && out ? "both" : in ? "in" : "out"; }
  // Bulk stores send what bulk loads brought from this GPU's memory; plain ones what a thread makes up.
  bool copies_out() const { return out && engine != Engine::kPlain; }
};
const std::vector<Mechanism>& mechanisms();
const Mechanism& mechanism(std::string_view name);

// A launch of a mechanism: `bytes` each way that it has. `sms`: how many it may use, a block on each; 0 for the API's own copy.
struct PeerTransfer {
  const Mechanism* mechanism;
  std::uint64_t bytes = 0;
  std::uint32_t sms = 0;

  bool is_ring() const { return mechanism->engine == Engine::kBulk || mechanism->engine == Engine::kTensor; }
  // Small messages are cut into small tiles, so that they reach many SMs.
  bool is_small() const { return bytes <= (1U << 20); }
  std::uint32_t block() const { return is_ring() ? 128 : 512; }
  std::uint32_t unroll() const { return is_small() ? 1 : 8; }             // of plain accesses
  std::uint32_t chunk_bytes() const { return is_small() ? 1024 : 4096; }  // of bulk copies
  std::uint32_t stages() const { return mechanism->out ? 8 : 4; }         // that shared memory is there for
  std::uint32_t tile_bytes() const { return is_ring() ? block() / 32 * chunk_bytes() : block() * 16 * unroll(); }
  // Blocks for each way, and in all.
  std::uint32_t blocks_each() const;
  std::uint32_t grid() const { return blocks_each() * (mechanism->in && mechanism->out ? 2 : 1); }
};

// What the rows of one run have in common.
struct Common {
  ChunkSums sums;
  // The rate of all the GPU's NVLinks one way, in GB/s; nullopt where NVML knows of none.
  std::optional<double> link_gbps(const bench::DeviceInfo& info);

 private:
  std::string asked_;  // the GPU's name
  std::optional<double> link_gbps_;
};

// Throw Skip without a peer, Error on a wrong result.
bench::Prepared set_up_transfer(bench::Workbench& bench, const PeerTransfer& transfer, const std::shared_ptr<Common>& common);
// The matrix of tile_tma on the peer. Boxes of one colour, 4 KiB each, go both ways.
bench::Prepared set_up_tile(bench::Workbench& bench);
std::uint64_t tile_bytes_each_way();
