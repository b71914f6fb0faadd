// Work that an experiment enqueues itself on one stream or several, timed as one: between two events, and by the host's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/device/device.h"

struct CudaBody {
  std::string name;
  const bench::Kernel* kernel = nullptr;
  std::uint32_t launches = 1;
  std::uint32_t streams = 1;  // all fork from the first one and join it
  bool replayed = false;      // captured once as a graph, launched by one call
  std::function<void(std::span<const cudaStream_t>)> enqueue;
};

class CudaRuns final : public bench::Subject {
 public:
  // `device` outlives the runs.
  CudaRuns(bench::cuda::Device& device, CudaBody body);

  const bench::Kernel* kernel() const override { return body_.kernel; }
  // One body, whatever the batch. Gate, event, body, event.
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override;
  bench::HostTimes time_host(std::uint32_t batch) override;

 private:
  void enqueue();
  void launch();

  bench::cuda::Device& device_;
  CudaBody body_;
  std::vector<bench::cuda::Stream> more_;
  std::vector<cudaStream_t> streams_;
  bench::cuda::Event fork_;
  std::vector<bench::cuda::Event> joins_;
  bench::cuda::GraphExec graph_;
  std::optional<double> enqueued_ns_;
  double last_ns_ = 0;
};

using CudaGraph = bench::cuda::Handle<cudaGraph_t, cudaGraphDestroy>;
// Instantiated and uploaded. Of a graph that the device launches: `flags` has cudaGraphInstantiateFlagDeviceLaunch.
bench::cuda::GraphExec make_executable(const CudaGraph& graph, unsigned long long flags, cudaStream_t stream,
                                       const std::string& name);
// Without timing, as what only orders should be.
bench::cuda::Event make_ordering_event();
// The CUDA kernel behind the interface. Throws Error if it is another API's.
const bench::cuda::Kernel& cuda_kernel(const bench::Kernel& kernel);
