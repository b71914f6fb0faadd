#include "cuda/launch/graph.h"

#include "core/base/watchdog.h"

namespace bench::cuda {
namespace {

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

}  // namespace

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

}  // namespace bench::cuda
