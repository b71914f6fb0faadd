// One GPU, opened for measuring: a stream, a pair of events, and the support kernels.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/device/data_kernels.h"
#include "core/device/offers.h"
#include "cuda/api/driver.h"
#include "cuda/api/handle.h"
#include "cuda/device/subject.h"
#include "cuda/launch/command.h"
#include "cuda/launch/kernel.h"
#include "cuda/measure/event_timer.h"
#include "cuda/measure/gate.h"
#include "cuda/measure/l2_evictor.h"
#include "cuda/memory/staged_copies.h"

namespace bench::cuda {

// What keeps a device from being used, wanted and found; empty if nothing does.
std::string unmet_requirements(std::string_view device_name, ComputeCapability device);

class Device final : public bench::Device,
                     public StreamCalls,
                     public SharedMemory,
                     public StartedWork,
                     public Peers,
                     public L2Fetch,
                     public Counting {
 public:
  // Makes the device current and creates its context. Throws Skip with what it lacks, Error if the driver refuses.
  explicit Device(const DeviceInfo& info);

  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<bench::Buffer> allocate(std::uint64_t bytes, std::string_view label) override;
  std::unique_ptr<bench::Buffer> allocate_shareable(std::uint64_t bytes, std::string_view label) override;
  ExportedMemory export_memory(const bench::Buffer& shareable) override;
  std::unique_ptr<bench::Buffer> import_memory(ExportedMemory memory, std::string_view label) override;
  void write(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, const Producer& produce) override;
  void read(const bench::Buffer& from, std::uint64_t offset, std::uint64_t bytes, const Consumer& consume) override;
  void fill(bench::Buffer& to, std::uint64_t offset, std::uint64_t bytes, std::uint32_t word) override;
  void fill_random(bench::Buffer& to, std::uint64_t first, std::uint64_t words, std::uint64_t key) override;
  Checksum checksum(const bench::Buffer& from, std::uint64_t words) override;
  KernelSpec own(const KernelSpec& spec) const override { return spec.with(spec.cuda.own); }
  std::unique_ptr<bench::Kernel> load(const KernelSpec& spec) override;
  Work empty_launch() override { return data_kernels_.empty_launch(); }
  Work cache_probe() override { return data_kernels_.cache_probe(); }
  void run(const Work& work) override;
  void run(const StreamCall& call) override;
  void start(const Work& work) override;
  double finish() override;
  bench::Device& peer() override;
  std::unique_ptr<bench::Subject> prepare(const Work& work, const SubjectOptions& options) override;
  std::unique_ptr<bench::Subject> prepare(const StreamCall& call, const SubjectOptions& options) override;
  // What somebody enqueues himself.
  std::unique_ptr<bench::Subject> prepare(Body body);
  void set_evict_bytes(std::uint64_t bytes) override;
  void evict_l2() override;
  void set_l2_fetch_bytes(std::uint32_t bytes) override;
  std::unique_ptr<DeviceCounters> counters() override;
  std::unique_ptr<ProfiledRange> profile(std::string_view name) override;

  // The device's ordinal in the CUDA runtime.
  int handle() const noexcept { return info_.index; }
  cudaStream_t stream() const noexcept { return stream_.handle(); }
  const EventTimer& timer() const { return timer_; }
  Gate& gate() { return gate_; }
  // Throws Error before set_evict_bytes.
  const L2Evictor& evictor() const;

 private:
  void run(Command command);

  DeviceInfo info_;
  ComputeCapability capability_;
  Stream stream_;
  EventTimer timer_;
  Gate gate_;
  StagedCopies copies_;
  std::optional<L2Evictor> evictor_;
  std::optional<std::size_t> own_l2_fetch_bytes_;  // once another was set
  PFN_cuMemsetD32Async_v3020 memset_d32_ = nullptr;
  DataKernels data_kernels_;
  std::string started_;  // the work that start() began
  std::unique_ptr<Device> peer_;
  std::string no_peer_;  // why there is none, once asked
};

// Throws Error if `device` is another API's.
Device& cuda_device(bench::Device& device);

}  // namespace bench::cuda
