// The experiment's table in code: what is dispatched, how often, in which way, by either API.
#pragma once

#include <cstdint>
#include <memory>

#include "core/experiment/experiment.h"
#include "params.h"

inline constexpr std::uint32_t kBlock = 256;           // threads
inline constexpr std::uint32_t kMostStreams = 32;      // of CUDA, and branches of its graph
inline constexpr std::uint32_t kMostBuffers = 10;      // Vulkan's command buffers of one submission
inline constexpr std::uint32_t kPredicatedSteps = 20;  // that one condition skips
inline constexpr std::uint32_t kMostSteps = 1000;      // that Vulkan's loops are recorded with, whatever the device decides
// Graphs that one graph's execution may launch. Source: CUDA C++ Programming Guide, "Fire and Forget Launch".
inline constexpr std::uint32_t kMostLaunched = 120;

enum class DispatchMethod : std::uint8_t {
  kOrdered,              // one stream; one command buffer recorded anew, a barrier between any two dispatches
  kOrderedReplayed,      // a graph; the same command buffer recorded once
  kIndependent,          // streams; one command buffer recorded anew, no barriers
  kIndependentReplayed,  // a graph with parallel branches; the same command buffer recorded once
  // CUDA: one stream with programmatic stream serialization, whose kernel lets the next one begin and waits for none; the same,
  // captured as a graph. Vulkan: as the two above.
  kProgrammatic,
  kProgrammaticReplayed,
  kBuffers,      // several command buffers recorded once, one submission
  kSubmissions,  // a command buffer and a submission for each dispatch, recorded once
  // `lanes` of what an API spreads independent work over.
  kStreams,   // CUDA: streams. Best known way: CUDA C++ Programming Guide, "Streams", and CUDA_DEVICE_MAX_CONNECTIONS there
  kGraph,     // CUDA: a graph of so many chains, made node by node; as many as dispatches: nodes without an edge
  kLanes,     // Vulkan: command buffers of one submission
  kBatches,   // Vulkan: submissions to one queue
  kQueues,    // Vulkan: queues of one family, a submission each; semaphores fork and join them
  kIndirect,  // as kIndependentReplayed, arguments made on the device before, and copied to where dispatches may read them
  kInPlace,   // the same, arguments made where dispatches read them
  // What the device decides: see decided.h.
  kKnown,       // nothing: the host knows that a kernel runs; the kernel that would decide runs, too
  kTaken,       // whether a kernel runs: it does
  kNotTaken,    // it does not
  kKnownLoop,   // nothing: the host knows how many steps a loop takes
  kWhile,       // how many
  kPredicated,  // the same. Vulkan: conditional rendering skips the steps that are not taken, kPredicatedSteps at a time
  kTail,        // the same, by a graph that launches itself
  kFromDevice,  // independent kernels: CUDA's graphs that a kernel launches, Vulkan's as kInPlace
};

struct Config {
  const char* name;
  DispatchMethod way = DispatchMethod::kOrdered;
  std::uint32_t dispatches = 1;
  std::uint32_t blocks = 1;  // of a dispatch
  std::uint32_t work_ns = 0;
  std::uint32_t lanes = 0;  // of kStreams to kQueues; 0: the way says how many

  bool replayed() const {
    return way == DispatchMethod::kOrderedReplayed || way == DispatchMethod::kIndependentReplayed ||
           way == DispatchMethod::kProgrammaticReplayed;
  }
  bool is_programmatic() const { return way == DispatchMethod::kProgrammatic || way == DispatchMethod::kProgrammaticReplayed; }
  bool is_loop() const {
    return way == DispatchMethod::kKnownLoop || way == DispatchMethod::kWhile || way == DispatchMethod::kPredicated ||
           way == DispatchMethod::kTail;
  }
  bool is_decided() const {
    return is_loop() || way == DispatchMethod::kKnown || way == DispatchMethod::kTaken || way == DispatchMethod::kNotTaken;
  }
  bool ordered() const { return way == DispatchMethod::kOrdered || way == DispatchMethod::kOrderedReplayed; }
};

// Dispatch i of the launch that `all` describes.
inline WorkParams params_of(const Config& config, std::uint32_t i, const WorkParams& all) {
  return {i * config.blocks, all.ticks, all.max_turns};
}

struct Dispatches {
  std::unique_ptr<bench::Subject> subject;
  const bench::Buffer* state = nullptr;  // where a kernel launches graphs: what it leaves, EXP08_STATE_WORDS
};
// Timed: all of the dispatches. `launch` is the kernel with its buffers and parameters, of one dispatch.
Dispatches vulkan_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch, const WorkParams& params);
Dispatches cuda_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch, const WorkParams& params);

// What decides, and what is decided about: one dispatch's, or one step's. See decided.h.
struct Decided {
  bench::Launch work;
  bench::Launch decide;
  bench::Launch begin;  // of kTail: a kernel that launches graphs runs in a graph alone, and this one runs before
};
std::unique_ptr<bench::Subject> vulkan_decided(bench::Workbench& bench, const Config& config, const Decided& what);
std::unique_ptr<bench::Subject> cuda_decided(bench::Workbench& bench, const Config& config, const Decided& what);
// `dispatches` graphs, which one kernel launches; it leaves in `state` how many.
std::unique_ptr<bench::Subject> cuda_launched(bench::Workbench& bench, const Config& config, const bench::Launch& launch,
                                              const WorkParams& params, const bench::Buffer& state);
// A graph of Config::lanes chains, made node by node.
std::unique_ptr<bench::Subject> cuda_chains(bench::Workbench& bench, const Config& config, const bench::Launch& launch,
                                            const WorkParams& params);
// The image of `work` for this Vulkan device: not every one tells on which SM a workgroup runs.
const char* vulkan_work(bench::Device& device);
