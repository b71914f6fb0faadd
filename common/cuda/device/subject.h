// Times what is enqueued on CUDA streams: between two events, and by the host's clock.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/device/offers.h"
#include "cuda/api/handle.h"
#include "cuda/launch/kernel.h"
#include "cuda/measure/gate.h"

namespace bench::cuda {

class Device;

// What a Subject times: calls that somebody makes, on one stream or several.
struct Body {
  std::string name;                       // for messages
  const bench::Kernel* kernel = nullptr;  // see bench::Subject
  std::uint32_t parts = 1;                // one after the other; a sample may have been too long to hold after each
  std::uint32_t calls = 1;                // of a part, at most
  std::uint32_t streams = 1;              // all fork from the first one and join it
  bool replayed = false;                  // captured once as a graph, launched by one call
  // A part. Asynchronous: nothing in it waits for the GPU, or loads code (see gate.h).
  std::function<void(std::span<const cudaStream_t>, std::uint32_t part)> enqueue;

  // What may be left out.
  bool has_lead_in = false;  // DeviceSampleSpec::lead_in: all parts, as often
  bool loads = false;        // a library's first call loads code: it is made ahead of the first sample, and not held
  std::function<void(cudaStream_t)> before = {};  // ahead of each sample: see SubjectOptions::before
};

// The only place that sets events, holds samples back, captures and counts: for the suite's own Work (body_of) and for what an
// experiment enqueues itself.
class Subject final : public bench::Subject {
 public:
  // The device outlives it.
  Subject(Device& device, Body body);

  // [gate] [before, eviction sweep | lead-in, before] start event, batch, stop event. The gate is shut until all of that is
  // enqueued, or as much as a queue takes. Throws Error; before set_evict_bytes, also for evict_l2.
  DeviceTime time_device(const DeviceSampleSpec& spec) override;
  HostTimes time_host(std::uint32_t batch) override;
  std::uint32_t most_held() const override;
  const bench::Kernel* kernel() const override { return body_.kernel; }

 private:
  // Where it is replayed, the graph of the body `batch` times, made on first use; else nullptr.
  cudaGraphExec_t graph(std::uint32_t batch);
  double expected_s(std::uint32_t launches) const { return launches * launch_ns_ * 1e-9; }
  // The body `times` times; `made` after each part, with the number of calls so far.
  void enqueue(
      std::uint32_t times, const std::function<void(std::uint32_t)>& made = [](std::uint32_t) {});
  void launch(cudaGraphExec_t graph, std::uint32_t batch, const std::function<void(std::uint32_t)>& made);

  Device& device_;
  Body body_;
  std::vector<Stream> more_;
  std::vector<cudaStream_t> streams_;
  Event fork_;
  std::vector<Event> joins_;
  std::map<std::uint32_t, GraphExec> graphs_;  // by batch
  bool has_run_ = false;
  double launch_ns_ = 0;  // the last sample's, stamps included; 0: none yet
};

// The suite's own Work. Non-owning: its kernel and its buffers outlive the body. Throws Skip for unordered launches.
Body body_of(const Work& work, const SubjectOptions& options);
Body body_of(const StreamCall& call, const SubjectOptions& options);

using Graph = Handle<cudaGraph_t, cudaGraphDestroy>;
// Instantiated and uploaded: to launch it is one call, and sets nothing up. Of a graph that the device launches: `flags` has
// cudaGraphInstantiateFlagDeviceLaunch. Throws Error.
GraphExec make_executable(const Graph& graph, unsigned long long flags, cudaStream_t stream, const std::string& name);
// Without timing, as what only orders should be.
Event make_ordering_event();
// The CUDA kernel behind the interface. Throws Error if it is another API's.
const Kernel& cuda_kernel(const bench::Kernel& kernel);

}  // namespace bench::cuda
