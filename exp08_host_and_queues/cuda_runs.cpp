#include "cuda_runs.h"

#include <algorithm>

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"

using bench::Deadline;
using bench::HostClock;
using bench::ns_between;
using bench::cuda::CurrentDevice;

namespace {

constexpr int kMaxAttempts = 3;

}  // namespace

bench::cuda::Event make_ordering_event() {
  cudaEvent_t raw = nullptr;
  BENCH_CU(cudaEventCreateWithFlags(&raw, cudaEventDisableTiming));
  return bench::cuda::Event(raw);
}

bench::cuda::GraphExec make_executable(const CudaGraph& graph, unsigned long long flags, cudaStream_t stream,
                                       const std::string& name) {
  cudaGraphExec_t raw = nullptr;
  BENCH_CU(cudaGraphInstantiate(&raw, graph.handle(), flags), "{}", name);
  bench::cuda::GraphExec executable(raw);
  BENCH_CU(cudaGraphUpload(executable.handle(), stream), "{}", name);
  BENCH_CU(cudaStreamSynchronize(stream), "{}", name);
  return executable;
}

const bench::cuda::Kernel& cuda_kernel(const bench::Kernel& kernel) {
  const auto* ours = dynamic_cast<const bench::cuda::Kernel*>(&kernel);
  if (ours == nullptr) throw bench::Error("{} was not loaded by CUDA", kernel.spec().entry);
  return *ours;
}

CudaRuns::CudaRuns(bench::cuda::Device& device, CudaBody body)
    : device_(device), body_(std::move(body)), streams_{device.stream()} {
  const CurrentDevice current(device_.handle());
  fork_ = make_ordering_event();
  for (std::uint32_t i = 1; i < body_.streams; ++i) {
    more_.push_back(bench::cuda::make_stream());
    joins_.push_back(make_ordering_event());
    streams_.push_back(more_.back().handle());
  }
  if (!body_.replayed) return;
  const Deadline deadline("the making of a graph", 1, bench::WaitFor::kDriver);
  cudaGraph_t raw = nullptr;
  BENCH_CU(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal));
  try {
    enqueue();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(streams_[0], &raw));
    const CudaGraph partial(raw);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  BENCH_CU(cudaStreamEndCapture(streams_[0], &raw), "{}", body_.name);
  graph_ = make_executable(CudaGraph(raw), 0, streams_[0], body_.name);
}

void CudaRuns::enqueue() {
  if (!more_.empty()) BENCH_CU(cudaEventRecord(fork_.handle(), streams_[0]));
  for (const bench::cuda::Stream& one : more_) BENCH_CU(cudaStreamWaitEvent(one.handle(), fork_.handle(), 0));
  body_.enqueue(streams_);
  for (std::size_t i = 0; i < more_.size(); ++i) {
    BENCH_CU(cudaEventRecord(joins_[i].handle(), more_[i].handle()));
    BENCH_CU(cudaStreamWaitEvent(streams_[0], joins_[i].handle(), 0));
  }
}

void CudaRuns::launch() {
  if (graph_.handle() != nullptr) {
    BENCH_CU(cudaGraphLaunch(graph_.handle(), streams_[0]), "{}", body_.name);
  } else {
    enqueue();
  }
}

bench::DeviceTime CudaRuns::time_device(const bench::DeviceSampleSpec& /*spec*/) {
  const CurrentDevice current(device_.handle());
  const std::uint32_t calls = graph_.handle() != nullptr ? 1 : body_.launches + 3 * body_.streams;
  for (int attempt = 1;; ++attempt) {
    const std::uint32_t gate = bench::cuda::gate_ns(calls, enqueued_ns_);
    const Deadline deadline(body_.name, 1e-9 * last_ns_);
    const auto begin = HostClock::now();
    device_.gate().enqueue(streams_[0], gate);
    device_.timer().start(streams_[0]);
    launch();
    device_.timer().stop(streams_[0]);
    enqueued_ns_ = ns_between(begin, HostClock::now());
    device_.timer().wait(body_.name);
    last_ns_ = device_.timer().elapsed_ns();
    const bool held = *enqueued_ns_ <= gate;
    if (held || gate >= bench::cuda::kMaxGateNs || attempt == kMaxAttempts) return {last_ns_, held};
  }
}

bench::HostTimes CudaRuns::time_host(std::uint32_t /*batch*/) {
  const CurrentDevice current(device_.handle());
  const Deadline deadline(body_.name, 1e-9 * last_ns_);
  const auto begin = HostClock::now();
  launch();
  const auto submitted = HostClock::now();
  BENCH_CU(cudaStreamSynchronize(streams_[0]), "{}", body_.name);
  const auto completed = HostClock::now();
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}
