// The experiment's table in code: a chain of links, and what stands between any two of them in either API.
#pragma once

#include <cstdint>
#include <memory>

#include "core/experiment/experiment.h"
#include "params.h"

enum class Ordering : std::uint8_t {
  kNothing,     // Vulkan: no barrier, so that the chain breaks. CUDA has no such stream
  kBarrier,     // CUDA: a stream's own order. Vulkan: a global memory barrier, compute to compute
  kBuffer,      // Vulkan: a buffer barrier, compute to compute
  kToAll,       // Vulkan: a global memory barrier, compute to all commands and accesses
  kAllToAll,    // Vulkan: from all commands, too
  kToHost,      // Vulkan: to compute and to the host's reads
  kEvent,       // CUDA: an event recorded in and waited for by the same stream. Vulkan: vkCmdSetEvent2, vkCmdWaitEvents2
  kSubmission,  // CUDA: as kBarrier, a graph of one link launched for each. Vulkan: a submission each, a barrier at its begin
  kQueues,      // CUDA: two streams in turn, ordered by events. Vulkan: two queues in turn, ordered by a timeline semaphore
};

struct Config {
  const char* name;
  const char* way_name;
  Ordering way;
  bool vulkan_alone;
  std::uint32_t links;         // an odd number, so that two queues end where they begin
  std::uint32_t filler_turns;  // of a second kernel beside each link, which nothing waits for; 0: none
  bool split;                  // the wait stands behind the filler: only the link is waited for

  std::uint32_t rows() const { return links * (filler_turns == 0 ? 1 : 2); }
};

// Link i of the chain, and the filler beside it.
inline LinkParams link_of(const Config& /*config*/, std::uint32_t i) { return {i, i == 0 ? EXP08_SEED : i - 1, 1}; }
inline LinkParams filler_of(const Config& config, std::uint32_t i) {
  return {config.links + i, EXP08_SEED, config.filler_turns};
}

// Timed: the whole chain. `launch` is a link's kernel and buffer.
std::unique_ptr<bench::Subject> vulkan_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch);
std::unique_ptr<bench::Subject> cuda_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch);
