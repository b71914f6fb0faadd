// A Work timed on a CUDA stream.
#pragma once

#include <map>
#include <optional>

#include "core/device/device.h"
#include "cuda/api/handle.h"
#include "cuda/launch/command.h"

namespace bench::cuda {

class Device;

class Subject final : public bench::Subject {
 public:
  // Non-owning: the device, the work's kernel and its buffers outlive the subject. Throws Skip for unordered launches.
  Subject(Device& device, const Work& work, const SubjectOptions& options);

  // [gate] [eviction sweep | lead-in launches, options.before] start event, batch launches, stop event. A sample that took
  // longer to enqueue than the gate held is taken again, twice at most; after that it is not gated. Throws Error; before
  // set_evict_bytes, also for evict_l2.
  DeviceTime time_device(const DeviceSampleSpec& spec) override;
  HostTimes time_host(std::uint32_t batch) override;
  const bench::Kernel* kernel() const override { return kernel_; }

 private:
  struct Enqueued {
    DeviceSampleSpec spec;
    double ns = 0;
  };

  // In replay mode, the graph of `batch` launches, made on first use; nullptr if the launches go one by one.
  cudaGraphExec_t graph(std::uint32_t batch);
  double expected_s(std::uint32_t launches) const;
  void enqueue_batch(std::uint32_t batch, cudaGraphExec_t graph);

  Device& device_;
  const bench::Kernel* kernel_;
  Command command_;
  Command before_;
  SubjectOptions options_;
  std::map<std::uint32_t, GraphExec> graphs_;  // by batch
  std::optional<Enqueued> last_;
  double launch_ns_ = 0;  // the last sample's, stamps included; 0: none yet
};

}  // namespace bench::cuda
