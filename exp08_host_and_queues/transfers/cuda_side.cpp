// CUDA's paths: a stream, pinned memory of two kinds, and the application's own.
#include <array>
#include <map>
#include <vector>

#include "core/base/watchdog.h"
#include "cuda/device/device.h"
#include "cuda/memory/buffer.h"
#include "pages.h"
#include "params.h"
#include "sides.h"

namespace {

using bench::cuda::Event;
using bench::cuda::PinnedMemory;
using bench::cuda::Stream;
using Registration = bench::cuda::Handle<void*, cudaHostUnregister>;

constexpr double kLowBytesPerS = 0.2e9;  // pageable memory on a slow host

Event sleeping_event() {
  cudaEvent_t raw = nullptr;
  BENCH_CU(cudaEventCreateWithFlags(&raw, cudaEventBlockingSync | cudaEventDisableTiming));
  return Event(raw);
}

class CudaTransfer final : public PreparedTransfer {
 public:
  // A stream of its own: transfers of different slots do not wait for each other more than the engine makes them.
  CudaTransfer(std::byte* host, const TransferPath& way, const bench::cuda::Kernel* kernel)
      : stream_(bench::cuda::make_stream()),
        arrived_(sleeping_event()),
        way_(way),
        host_(host),
        device_(bench::cuda::own(*way.buffer).at(way.buffer_offset)),
        kernel_(kernel),
        params_{static_cast<std::uint32_t>(way.bytes / sizeof(std::uint32_t))} {}

  void submit() override {
    const bool up = way_.direction == Direction::kUp;
    void* from = up ? host_ : device_;
    void* to = up ? device_ : host_;
    const bench::Deadline deadline("the submission of a transfer", expected_s());  // of pageable memory it is the transfer
    if (kernel_ != nullptr) {
      std::array<void*, 3> arguments = {&from, &to, &params_};
      kernel_->launch(stream_.handle(), {move_blocks(way_.bytes), 1, 1}, arguments.data());
    } else {
      BENCH_CU(cudaMemcpyAsync(to, from, way_.bytes, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_.handle()),
               "{} bytes", way_.bytes);
    }
  }

  void wait(bool sleeps) override {
    const bench::Deadline deadline("a transfer", expected_s());
    if (sleeps) {
      BENCH_CU(cudaEventRecord(arrived_.handle(), stream_.handle()));
      BENCH_CU(cudaEventSynchronize(arrived_.handle()), "{} bytes", way_.bytes);
    } else {
      BENCH_CU(cudaStreamSynchronize(stream_.handle()), "{} bytes", way_.bytes);  // spins: cudaDeviceScheduleSpin
    }
  }

 private:
  double expected_s() const { return static_cast<double>(way_.bytes) / kLowBytesPerS; }

  Stream stream_;
  Event arrived_;
  TransferPath way_;
  std::byte* host_;
  std::byte* device_;
  const bench::cuda::Kernel* kernel_;
  MoveParams params_;
};

bool is_uncached(HostMemory kind) { return kind == HostMemory::kUncached || kind == HostMemory::kUncachedStaging; }

class CudaWays final : public TransferSide {
 public:
  std::span<std::byte> memory(bench::Workbench& bench, HostMemory kind, std::uint64_t bytes) override {
    if (kind == HostMemory::kOnDevice) throw bench::Skip("CUDA's runtime maps no GPU memory for the host");
    std::span<std::byte>& known = known_[kind];
    if (known.size() >= bytes) return known;
    if (kind == HostMemory::kPageable) {
      pageable_.resize(bytes);
      known = pageable_;
    } else if (is_imported(kind)) {
      const bench::Deadline deadline("the pinning of memory", static_cast<double>(bytes) / kLowBytesPerS);
      imported_.erase(kind);
      known = imported_.try_emplace(kind, bytes).first->second.pages.all();
    } else {
      const bench::Deadline deadline("an allocation of pinned memory", static_cast<double>(bytes) / kLowBytesPerS);
      void* raw = nullptr;
      const unsigned int flags = is_uncached(kind) ? cudaHostAllocWriteCombined : cudaHostAllocDefault;
      BENCH_CU(cudaHostAlloc(&raw, bytes, flags), "{} bytes of pinned memory", bytes);
      pinned_[kind] = PinnedMemory(raw);
      known = {static_cast<std::byte*>(raw), bytes};
    }
    fill(bench, known);
    return known;
  }

  std::string describe(HostMemory kind) override {
    if (is_imported(kind)) return "aligned_alloc, cudaHostRegister";
    return kind == HostMemory::kPageable ? "malloc" : is_uncached(kind) ? "cudaHostAlloc, write-combined" : "cudaHostAlloc";
  }

  std::unique_ptr<PreparedTransfer> prepare(bench::Workbench& bench, const TransferPath& way) override {
    const bool by_kernel = way.engine == Engine::kKernel;
    if (by_kernel && way.memory == HostMemory::kPageable) throw bench::Skip("kernels are given pinned memory here");
    if (way.engine == Engine::kComputeQueue) throw bench::Skip("CUDA has streams, whose copies the driver gives to an engine");
    const auto* kernel = by_kernel ? &dynamic_cast<const bench::cuda::Kernel&>(move_kernel(bench)) : nullptr;
    return std::make_unique<CudaTransfer>(known_.at(way.memory).data() + way.host_offset, way, kernel);
  }

 private:
  struct Imported {
    explicit Imported(std::uint64_t bytes) : pages(bytes) {
      void* const first = pages.all().data();
      BENCH_CU(cudaHostRegister(first, pages.all().size(), cudaHostRegisterDefault), "{} bytes", pages.all().size());
      registration = Registration(first);
    }
    Pages pages;
    Registration registration;  // ends first
  };

  std::vector<std::byte> pageable_;
  std::map<HostMemory, Imported> imported_;
  std::map<HostMemory, PinnedMemory> pinned_;
  std::map<HostMemory, std::span<std::byte>> known_;
};

}  // namespace

std::unique_ptr<TransferSide> cuda_transfers(bench::Device& /*device*/) { return std::make_unique<CudaWays>(); }
