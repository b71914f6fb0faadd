// Two streams, and pinned memory.
#include "core/base/watchdog.h"
#include "cuda/api/handle.h"
#include "cuda/launch/command.h"
#include "cuda/memory/buffer.h"
#include "lanes.h"

namespace {

using bench::cuda::Stream;

constexpr double kExpectedS = 0.1;

class CudaJob : public Job {
 public:
  explicit CudaJob(cudaStream_t stream) : stream_(stream) {}
  void wait() final {
    const bench::Deadline deadline("work in a stream", kExpectedS);
    BENCH_CU(cudaStreamSynchronize(stream_));  // spins: cudaDeviceScheduleSpin
  }

 protected:
  cudaStream_t stream_;
};

class LaunchJob final : public CudaJob {
 public:
  LaunchJob(cudaStream_t stream, const bench::Launch& launch) : CudaJob(stream), command_(launch) {}
  void submit() override { command_.enqueue(stream_); }

 private:
  bench::cuda::Command command_;
};

class UploadJob final : public CudaJob {
 public:
  UploadJob(cudaStream_t stream, const bench::Buffer& to, const void* from, std::uint64_t bytes)
      : CudaJob(stream), to_(bench::cuda::own(to).handle()), from_(from), bytes_(bytes) {}
  void submit() override { BENCH_CU(cudaMemcpyAsync(to_, from_, bytes_, cudaMemcpyHostToDevice, stream_), "{} bytes", bytes_); }

 private:
  void* to_;
  const void* from_;
  std::uint64_t bytes_;
};

Stream make_stream(bool first_of_all) {
  int least = 0;
  int greatest = 0;
  BENCH_CU(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t raw = nullptr;
  BENCH_CU(cudaStreamCreateWithPriority(&raw, cudaStreamNonBlocking, first_of_all ? greatest : least));
  return Stream(raw);
}

class CudaLanes final : public Lanes {
 public:
  explicit CudaLanes(bool ranked) : first_(make_stream(false)), second_(make_stream(ranked)) {}

  std::unique_ptr<Job> launch(Lane lane, const bench::Launch& launch) override {
    return std::make_unique<LaunchJob>(stream(lane), launch);
  }

  std::unique_ptr<Job> upload(Lane lane, const bench::Buffer& to, std::uint64_t bytes) override {
    if (pinned_.handle() == nullptr) {
      void* raw = nullptr;
      BENCH_CU(cudaHostAlloc(&raw, kPinnedBytes, cudaHostAllocDefault), "{} bytes of pinned memory", kPinnedBytes);
      pinned_ = bench::cuda::PinnedMemory(raw);
      fill_pinned({static_cast<std::byte*>(raw), kPinnedBytes});
    }
    return std::make_unique<UploadJob>(stream(lane), to, pinned_.handle(), bytes);
  }

 private:
  cudaStream_t stream(Lane lane) const {
    if (lane == Lane::kGraphics) throw bench::Skip("CUDA has no queue with graphics");
    return lane == Lane::kFirst ? first_.handle() : second_.handle();
  }

  Stream first_;
  Stream second_;
  bench::cuda::PinnedMemory pinned_;
};

}  // namespace

std::unique_ptr<Lanes> cuda_lanes(bench::Device& /*device*/, bool ranked) { return std::make_unique<CudaLanes>(ranked); }
