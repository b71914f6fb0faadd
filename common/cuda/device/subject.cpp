#include "cuda/device/subject.h"

#include <memory>

#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "cuda/api/current_device.h"
#include "cuda/device/device.h"
#include "cuda/launch/command.h"

namespace bench::cuda {
namespace {

constexpr double kMakingS = 1;  // of a graph of hundreds of nodes

const auto kNobodyCounts = [](std::uint32_t) {};

Graph capture(cudaStream_t stream, const std::string& name, const std::function<void()>& enqueue) {
  cudaGraph_t raw = nullptr;
  BENCH_CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    enqueue();
  } catch (...) {
    // A stream left capturing would refuse everything after.
    static_cast<void>(cudaStreamEndCapture(stream, &raw));
    const Graph partial(raw);
    static_cast<void>(cudaGetLastError());
    throw;
  }
  BENCH_CU(cudaStreamEndCapture(stream, &raw), "{}", name);
  return Graph(raw);
}

}  // namespace

Event make_ordering_event() {
  cudaEvent_t raw = nullptr;
  BENCH_CU(cudaEventCreateWithFlags(&raw, cudaEventDisableTiming));
  return Event(raw);
}

GraphExec make_executable(const Graph& graph, unsigned long long flags, cudaStream_t stream, const std::string& name) {
  cudaGraphExec_t raw = nullptr;
  BENCH_CU(cudaGraphInstantiate(&raw, graph.handle(), flags), "{}", name);
  GraphExec executable(raw);
  BENCH_CU(cudaGraphUpload(executable.handle(), stream), "{}", name);
  BENCH_CU(cudaStreamSynchronize(stream), "{}", name);
  return executable;
}

const Kernel& cuda_kernel(const bench::Kernel& kernel) {
  const auto* ours = dynamic_cast<const Kernel*>(&kernel);
  if (ours == nullptr) throw Error("{} was not loaded by CUDA", kernel.spec().entry);
  return *ours;
}

namespace {

Body body_of(const std::shared_ptr<Command>& command, const SubjectOptions& options) {
  if (!options.ordered) throw Skip("CUDA launches in one stream are ordered");
  Body body;
  body.name = command->name();
  body.replayed = options.mode == SubmitMode::kReplay && !command->is_nothing();
  body.enqueue = [command](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) { command->enqueue(streams[0]); };
  body.has_lead_in = true;
  if (!options.before.empty()) {
    const auto before = std::make_shared<std::vector<Command>>();
    for (const Work& one : options.before) before->emplace_back(one);
    body.before = [before](cudaStream_t stream) {
      for (Command& one : *before) one.enqueue(stream);
    };
  }
  return body;
}

}  // namespace

Body body_of(const Work& work, const SubjectOptions& options) {
  Body body = body_of(std::make_shared<Command>(work), options);
  body.kernel = kernel_of(work);
  const auto* passes = std::get_if<Passes>(&work);
  body.calls = passes != nullptr ? static_cast<std::uint32_t>(passes->launches.size()) : 1;
  return body;
}

Body body_of(const StreamCall& call, const SubjectOptions& options) {
  Body body = body_of(std::make_shared<Command>(call), options);
  body.loads = true;
  return body;
}

Subject::Subject(Device& device, Body body) : device_(device), body_(std::move(body)), streams_{device.stream()} {
  const CurrentDevice current(device_.handle());
  if (body_.streams > 1) fork_ = make_ordering_event();
  for (std::uint32_t i = 1; i < body_.streams; ++i) {
    more_.push_back(make_stream());
    joins_.push_back(make_ordering_event());
    streams_.push_back(more_.back().handle());
  }
}

cudaGraphExec_t Subject::graph(std::uint32_t batch) {
  if (!body_.replayed) return nullptr;
  auto found = graphs_.find(batch);
  if (found == graphs_.end()) {
    const Deadline deadline("the making of a graph", kMakingS, WaitFor::kDriver);
    const Graph made = capture(streams_[0], body_.name, [&] { enqueue(batch); });
    found = graphs_.emplace(batch, make_executable(made, 0, streams_[0], body_.name)).first;
  }
  return found->second.handle();
}

void Subject::enqueue(std::uint32_t times, const std::function<void(std::uint32_t)>& made) {
  if (!more_.empty()) BENCH_CU(cudaEventRecord(fork_.handle(), streams_[0]));
  for (const Stream& one : more_) BENCH_CU(cudaStreamWaitEvent(one.handle(), fork_.handle(), 0));
  std::uint32_t calls = more_.empty() ? 0 : 1 + body_.streams;
  for (std::uint32_t i = 0; i < times; ++i) {
    for (std::uint32_t part = 0; part < body_.parts; ++part) {
      body_.enqueue(streams_, part);
      made(calls += body_.calls);
    }
  }
  for (std::size_t i = 0; i < more_.size(); ++i) {
    BENCH_CU(cudaEventRecord(joins_[i].handle(), more_[i].handle()));
    BENCH_CU(cudaStreamWaitEvent(streams_[0], joins_[i].handle(), 0));
  }
}

void Subject::launch(cudaGraphExec_t graph, std::uint32_t batch, const std::function<void(std::uint32_t)>& made) {
  if (graph != nullptr) {
    BENCH_CU(cudaGraphLaunch(graph, streams_[0]), "{} x {}", batch, body_.name);
  } else {
    enqueue(batch, made);
  }
}

DeviceTime Subject::time_device(const DeviceSampleSpec& spec) {
  if (body_.before) check_with_before(spec.batch);
  const CurrentDevice current(device_.handle());
  cudaStream_t stream = streams_[0];
  const EventTimer& timer = device_.timer();
  const L2Evictor* evictor = spec.evict_l2 ? &device_.evictor() : nullptr;
  cudaGraphExec_t executable = graph(spec.batch);
  const Deadline deadline(body_.name, expected_s(spec.lead_in + spec.batch));
  if (body_.loads && !has_run_) {
    enqueue(1);
    BENCH_CU(cudaStreamSynchronize(stream), "{}", body_.name);
  }
  has_run_ = true;

  Gate::Sample gate(device_.gate(), stream);
  std::uint32_t made = 1;
  bool fits = true;
  const auto open_if_full = [&](std::uint32_t calls) {
    made = calls;
    if (calls_in_a_queue(calls, body_.streams) <= kMostHeldCalls) return;
    fits = false;
    gate.open();
  };
  if (body_.has_lead_in && spec.lead_in != 0) enqueue(spec.lead_in);
  if (body_.before) body_.before(stream);
  if (evictor != nullptr) evictor->enqueue(stream);
  timer.start(stream);
  launch(executable, spec.batch, open_if_full);
  timer.stop(stream);
  gate.open();

  timer.wait(body_.name);
  const double ns = timer.elapsed_ns();
  launch_ns_ = ns / spec.batch;
  return {ns, gate.was_shut(made) && fits};
}

// Without the untimed calls ahead of the batch: two times the body, at most, in a warm sample.
std::uint32_t Subject::most_held() const {
  constexpr std::uint32_t kAhead = 2;
  if (body_.replayed) return bench::Subject::most_held();
  const std::uint32_t held = kMostHeldCalls / (body_.parts * body_.calls);
  return held > kAhead ? held - kAhead : 1;
}

HostTimes Subject::time_host(std::uint32_t batch) {
  if (body_.before) check_with_before(batch);
  const CurrentDevice current(device_.handle());
  cudaStream_t stream = streams_[0];
  cudaGraphExec_t executable = graph(batch);
  // Alive from before the first stamp to after the last: what bounds the wait takes no part in what is timed.
  const Deadline deadline(body_.name, expected_s(batch));
  if (body_.before) body_.before(stream);
  BENCH_CU(cudaStreamSynchronize(stream), "{}", body_.name);
  has_run_ = true;

  const auto begin = HostClock::now();
  launch(executable, batch, kNobodyCounts);
  const auto submitted = HostClock::now();
  // Spins: the device was opened with cudaDeviceScheduleSpin.
  BENCH_CU(cudaStreamSynchronize(stream), "{}", body_.name);
  const auto completed = HostClock::now();
  return {.roundtrip_ns = ns_between(begin, completed), .submit_ns = ns_between(begin, submitted)};
}

}  // namespace bench::cuda
