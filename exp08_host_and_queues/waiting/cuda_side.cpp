#include "core/base/error.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"
#include "cuda/memory/buffer.h"
#include "sides.h"

namespace {

using bench::cuda::Device;

// How cudaStreamSynchronize waits, for as long as it lives. The suite's own is to spin.
class Schedule {
 public:
  explicit Schedule(unsigned int wanted)
      : get_(bench::cuda::find_driver_function<PFN_cuCtxGetFlags_v7000>("cuCtxGetFlags", 7000)),
        set_(bench::cuda::find_driver_function<PFN_cuCtxSetFlags_v12010>("cuCtxSetFlags", 12010)) {
    if (get_ == nullptr || set_ == nullptr) throw bench::Skip("a driver of CUDA 12.1 or newer wanted (cuCtxSetFlags)");
    BENCH_CU(bench::cuda::status_of(get_(&before_)));
    const unsigned int flags = (before_ & ~static_cast<unsigned int>(CU_CTX_SCHED_MASK)) | wanted;
    if (flags == before_) return;
    BENCH_CU(bench::cuda::status_of(set_(flags)), "schedule {}", wanted);
    changed_ = true;
    unsigned int found = 0;
    BENCH_CU(bench::cuda::status_of(get_(&found)));
    if ((found & CU_CTX_SCHED_MASK) != wanted)
      throw bench::Skip("this driver keeps its schedule: {} wanted, {} found", wanted, found);
  }
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  ~Schedule() {
    if (changed_) static_cast<void>(set_(before_));
  }

 private:
  PFN_cuCtxGetFlags_v7000 get_;
  PFN_cuCtxSetFlags_v12010 set_;
  unsigned int before_ = 0;
  bool changed_ = false;
};

unsigned int schedule_of(WaitMethod way) {
  if (way == WaitMethod::kYield) return CU_CTX_SCHED_YIELD;
  return way == WaitMethod::kSleep ? CU_CTX_SCHED_BLOCKING_SYNC : CU_CTX_SCHED_SPIN;
}

class CudaWaiter final : public Waiter {
 public:
  CudaWaiter(Device& device, WaitMethod way, const bench::Launch& launch, const TaskParams& params)
      : device_(device),
        way_(way),
        schedule_(schedule_of(way)),
        kernel_(dynamic_cast<const bench::cuda::Kernel&>(*launch.kernel)),
        done_(bench::cuda::own(*launch.buffers[0]).handle()),
        trace_(bench::cuda::own(*launch.buffers[1]).handle()),
        params_(params) {
    void* raw = nullptr;
    BENCH_CU(cudaHostAlloc(&raw, sizeof(std::uint32_t), cudaHostAllocMapped));
    memory_ = bench::cuda::PinnedMemory(raw);
    flag_ = static_cast<volatile std::uint32_t*>(raw);
    *flag_ = 0;
    void* on_device = nullptr;
    BENCH_CU(cudaHostGetDevicePointer(&on_device, raw, 0));
    const auto address = reinterpret_cast<std::uint64_t>(on_device);
    params_.flag_low = static_cast<std::uint32_t>(address);
    params_.flag_high = static_cast<std::uint32_t>(address >> 32);
    cudaEvent_t event = nullptr;
    const unsigned int blocks = way == WaitMethod::kObject ? cudaEventBlockingSync : cudaEventDefault;
    BENCH_CU(cudaEventCreateWithFlags(&event, blocks | cudaEventDisableTiming));
    event_ = bench::cuda::Event(event);
  }

  void submit() override {
    if (way_ == WaitMethod::kFlag) ++params_.value;
    void* pointers[] = {done_, trace_};
    void* arguments[] = {&pointers[0], &pointers[1], &params_};
    kernel_.launch(device_.stream(), {1, 1, 1}, arguments);
    if (way_ == WaitMethod::kObject || way_ == WaitMethod::kPollObject)
      BENCH_CU(cudaEventRecord(event_.handle(), device_.stream()));
  }

  void wait() override {
    switch (way_) {
      case WaitMethod::kPoll:
        return poll([this] { return cudaStreamQuery(device_.stream()); }, "cudaStreamQuery");
      case WaitMethod::kPollObject:
        return poll([this] { return cudaEventQuery(event_.handle()); }, "cudaEventQuery");
      case WaitMethod::kObject:
        BENCH_CU(cudaEventSynchronize(event_.handle()));
        return;
      case WaitMethod::kFlag:
        poll_flag(flag_, params_.value);
        return;
      case WaitMethod::kSleep:
      case WaitMethod::kSpin:
      case WaitMethod::kYield:
        settle();
        return;
    }
  }

  void settle() override { BENCH_CU(cudaStreamSynchronize(device_.stream())); }

 private:
  template <class Query>
  static void poll(const Query& query, const char* name) {
    for (;;) {
      const cudaError_t status = query();
      if (status == cudaErrorNotReady) continue;
      BENCH_CU(status, "{}", name);
      return;
    }
  }

  Device& device_;
  WaitMethod way_;
  Schedule schedule_;
  const bench::cuda::Kernel& kernel_;
  void* done_;
  void* trace_;
  TaskParams params_;
  bench::cuda::PinnedMemory memory_;
  volatile std::uint32_t* flag_ = nullptr;
  bench::cuda::Event event_;
};

}  // namespace

std::unique_ptr<Waiter> cuda_waiter(bench::Workbench& bench, WaitMethod way, const bench::Launch& launch,
                                    const TaskParams& params) {
  Device& device = bench::cuda::cuda_device(bench.device());
  const bench::cuda::CurrentDevice current(device.handle());
  return std::make_unique<CudaWaiter>(device, way, launch, params);
}
