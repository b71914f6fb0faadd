// Holds the stream while the host enqueues a sample.
//
// Without it the GPU would pass the start event before the first launch has left the host, and that latency would lie between
// the stamps. A Vulkan command buffer is recorded before it is submitted and has no such gap.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/launch/kernel.h"

namespace bench::cuda {

// The most launches that surely fit into a stream's queue (about 1024 deep) behind the gate; past them enqueueing blocks until
// the gate opens. Correct, but no longer gated.
constexpr std::uint32_t kMaxGatedLaunches = 960;

// The longest gate: 5 ms.
constexpr std::uint32_t kMaxGateNs = 5'000'000;

// How long to hold the stream for `launches` launches, in nanoseconds: half as long again as the same sample took to enqueue
// last time, or 5 us a launch when it has not been measured.
std::uint32_t gate_ns(std::uint32_t launches, std::optional<double> last_enqueue_ns);

class Gate {
 public:
  explicit Gate(ComputeCapability device);

  // Occupies one thread of the GPU for `ns` of its own clock; bounded, whatever the host does. Asynchronous.
  void enqueue(cudaStream_t stream, std::uint32_t ns) const;

 private:
  Kernel kernel_;
};

}  // namespace bench::cuda
