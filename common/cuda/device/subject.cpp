#include "cuda/device/subject.h"

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"

namespace bench::cuda {
namespace {

constexpr int kMaxAttempts = 3;
constexpr double kMakingS = 1;  // of hundreds of nodes

using Graph = Handle<cudaGraph_t, cudaGraphDestroy>;

Graph capture(Command& command, std::uint32_t batch, cudaStream_t stream) {
  cudaGraph_t raw = nullptr;
  BENCH_CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    for (std::uint32_t i = 0; i < batch; ++i) command.enqueue(stream);
  } catch (...) {
    // A stream left capturing would refuse everything after.
    static_cast<void>(cudaStreamEndCapture(stream, &raw));
    const Graph partial(raw);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  BENCH_CU(cudaStreamEndCapture(stream, &raw), "{} x {}", batch, command.name());
  return Graph(raw);
}

// `batch` times the command, one after the other, captured from the stream, instantiated and uploaded to the GPU: launching it
// is one call and sets nothing up. Throws Error.
GraphExec make_graph(Command& command, std::uint32_t batch, cudaStream_t stream) {
  const Deadline deadline("the making of a graph", kMakingS, WaitFor::kDriver);
  const Graph graph = capture(command, batch, stream);
  cudaGraphExec_t raw = nullptr;
  BENCH_CU(cudaGraphInstantiate(&raw, graph.handle(), 0), "{} x {}", batch, command.name());
  GraphExec executable(raw);
  BENCH_CU(cudaGraphUpload(executable.handle(), stream));
  BENCH_CU(cudaStreamSynchronize(stream));
  return executable;
}

}  // namespace

Subject::Subject(Device& device, const Work& work, const SubjectOptions& options)
    : device_(device), kernel_(kernel_of(work)), command_(work), before_(options.before), options_(options) {
  if (!options.ordered) throw Skip("CUDA launches in one stream are ordered");
}

cudaGraphExec_t Subject::graph(std::uint32_t batch) {
  if (options_.mode != SubmitMode::kReplay || command_.is_nothing()) return nullptr;
  auto found = graphs_.find(batch);
  if (found == graphs_.end()) found = graphs_.emplace(batch, make_graph(command_, batch, device_.stream())).first;
  return found->second.handle();
}

double Subject::expected_s(std::uint32_t launches) const { return launches * launch_ns_ * 1e-9; }

void Subject::enqueue_batch(std::uint32_t batch, cudaGraphExec_t graph) {
  if (graph != nullptr) {
    BENCH_CU(cudaGraphLaunch(graph, device_.stream()), "{} x {}", batch, command_.name());
  } else {
    for (std::uint32_t i = 0; i < batch; ++i) command_.enqueue(device_.stream());
  }
}

DeviceTime Subject::time_device(const DeviceSampleSpec& spec) {
  check_sample(options_, spec.batch, spec.evict_l2);
  const CurrentDevice current(device_.handle());
  cudaStream_t stream = device_.stream();
  const EventTimer& timer = device_.timer();
  const L2Evictor* evictor = spec.evict_l2 ? &device_.evictor() : nullptr;
  cudaGraphExec_t executable = graph(spec.batch);
  const std::uint32_t launches = spec.lead_in + (before_.is_nothing() ? 0 : 1) + (executable != nullptr ? 1 : spec.batch);

  for (int attempt = 1;; ++attempt) {
    const bool known = last_ && last_->spec == spec;
    const std::uint32_t gate = gate_ns(launches, known ? std::optional(last_->ns) : std::nullopt);

    const Deadline deadline(command_.name(), expected_s(spec.lead_in + spec.batch));
    const auto begin = HostClock::now();
    device_.gate().enqueue(stream, gate);
    if (evictor != nullptr) evictor->enqueue(stream);
    for (std::uint32_t i = 0; i < spec.lead_in; ++i) command_.enqueue(stream);
    before_.enqueue(stream);
    timer.start(stream);
    enqueue_batch(spec.batch, executable);
    timer.stop(stream);
    last_ = Enqueued{spec, ns_between(begin, HostClock::now())};

    timer.wait(command_.name());
    const bool held = last_->ns <= gate;
    const bool longer_may_help = gate < kMaxGateNs && launches <= kMaxGatedLaunches;
    if (held || !longer_may_help || spec.once || attempt == kMaxAttempts) {
      const double ns = timer.elapsed_ns();
      launch_ns_ = ns / spec.batch;
      return {ns, held};
    }
  }
}

HostTimes Subject::time_host(std::uint32_t batch) {
  check_sample(options_, batch, false);
  const CurrentDevice current(device_.handle());
  cudaStream_t stream = device_.stream();
  cudaGraphExec_t executable = graph(batch);
  // Alive from before the first stamp to after the last: what bounds the wait takes no part in what is timed.
  const Deadline deadline(command_.name(), expected_s(batch));
  before_.enqueue(stream);
  BENCH_CU(cudaStreamSynchronize(stream), "{}", before_.name());

  const auto begin = HostClock::now();
  enqueue_batch(batch, executable);
  const auto submitted = HostClock::now();
  // Spins: the device was opened with cudaDeviceScheduleSpin.
  BENCH_CU(cudaStreamSynchronize(stream), "{}", command_.name());
  const auto completed = HostClock::now();
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}

}  // namespace bench::cuda
