// The experiment's table in code: a chain of links, and what stands between any two of them in either API.
#pragma once

#include <cstdint>
#include <memory>

#include "core/experiment/experiment.h"
#include "params.h"

enum class Ordering : std::uint8_t {
  kNothing,       // Vulkan: no barrier, so that the chain breaks. CUDA has no such stream
  kBarrier,       // CUDA: a stream's own order. Vulkan: a global memory barrier, compute to compute
  kBuffer,        // Vulkan: a buffer barrier, compute to compute
  kToAll,         // Vulkan: a global memory barrier, compute to all commands and accesses
  kAllToAll,      // Vulkan: from all commands, too
  kToHost,        // Vulkan: to compute and to the host's reads
  kExecution,     // Vulkan: compute to compute, of no memory: enough where a link only overwrites what the one before has read
  kProgrammatic,  // CUDA: a stream's launches with programmatic stream serialization; the kernel waits by griddepcontrol.wait
  kGraph,         // CUDA: a graph that is a chain, captured
  kGraphProgrammatic,  // CUDA: kProgrammatic, captured
  kDeviceEvent,        // Vulkan: kEvent with events of the device alone (VK_EVENT_CREATE_DEVICE_ONLY_BIT), reset by the device
  kEvent,              // CUDA: an event recorded in and waited for by the same stream. Vulkan: vkCmdSetEvent2, vkCmdWaitEvents2
  kSubmission,  // CUDA: as kBarrier, a graph of one link launched for each. Vulkan: a submission each, a barrier at its begin
  kQueues,      // CUDA: two streams in turn, ordered by events. Vulkan: two queues in turn, ordered by a timeline semaphore
};

struct Config {
  const char* name;
  const char* way_name;
  Ordering way;
  bench::Api alone;            // the API that has the way; none: both have
  std::uint32_t links;         // an odd number, so that two queues end where they begin
  std::uint32_t filler_turns;  // of a second kernel beside each link, which nothing waits for; 0: none
  bool split;                  // the wait stands behind the filler: only the link is waited for
  bool overwrites = false;     // each link reads the row that the next one writes, and nothing that one before has written

  std::uint32_t rows() const { return overwrites ? links + 1 : links * (filler_turns == 0 ? 1 : 2); }
  bool is_programmatic() const { return way == Ordering::kProgrammatic || way == Ordering::kGraphProgrammatic; }
  bool is_replayed() const { return way == Ordering::kGraph || way == Ordering::kGraphProgrammatic; }
  bool has_events() const { return way == Ordering::kEvent || way == Ordering::kDeviceEvent; }
};

// Link i of the chain, and the filler beside it.
inline LinkParams link_of(const Config& config, std::uint32_t i) {
  if (config.overwrites) return {i, i + 1, 1};
  return {i, i == 0 ? EXP08_SEED : i - 1, 1};
}
inline LinkParams filler_of(const Config& config, std::uint32_t i) {
  return {config.links + i, EXP08_SEED, config.filler_turns};
}

// Timed: the whole chain. `launch` is a link's kernel and buffer.
std::unique_ptr<bench::Subject> vulkan_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch);
std::unique_ptr<bench::Subject> cuda_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch);
