#include <vector>

#include "cuda/device/device.h"
#include "cuda/device/programmatic.h"
#include "cuda/memory/buffer.h"
#include "sides.h"

std::unique_ptr<bench::Subject> cuda_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch) {
  const bench::cuda::Kernel& kernel = bench::cuda::cuda_kernel(*launch.kernel);
  void* rows = bench::cuda::own(*launch.buffers[0]).handle();
  const auto run = [=, &kernel](cudaStream_t stream, LinkParams params, bool is_first) {
    void* pointer = rows;
    void* arguments[] = {&pointer, &params};
    // The first one waits for all that the stream has before.
    if (config.is_programmatic() && !is_first) return bench::cuda::launch_programmatic(kernel, stream, launch.grid, arguments);
    kernel.launch(stream, launch.grid, arguments);
  };
  bench::cuda::Body body;
  body.name = "a chain of links";
  body.kernel = launch.kernel;
  body.parts = config.links;
  body.replayed = config.is_replayed();
  body.calls = 4;  // a link, its event and the wait for the one before, and the filler
  const bool two = config.way == Ordering::kQueues || config.split;
  body.streams = two ? 2 : 1;
  // One event a link: an event that is recorded anew would do, but then the waits' order would be the host's.
  auto events = std::make_shared<std::vector<bench::cuda::Event>>();
  if (config.way == Ordering::kQueues || config.way == Ordering::kEvent) {
    for (std::uint32_t i = 0; i < config.links; ++i) events->push_back(bench::cuda::make_ordering_event());
  }
  body.enqueue = [=](std::span<const cudaStream_t> streams, std::uint32_t i) {
    const auto& stream = config.way == Ordering::kQueues ? streams[i % 2] : streams[0];
    if (!events->empty() && i > 0) BENCH_CU(cudaStreamWaitEvent(stream, (*events)[i - 1].handle(), 0));
    run(stream, link_of(config, i), i == 0);
    if (!events->empty()) BENCH_CU(cudaEventRecord((*events)[i].handle(), stream));
    if (config.filler_turns != 0) run(streams[config.split ? 1 : 0], filler_of(config, i), true);
  };
  return bench::cuda::cuda_device(bench.device()).prepare(std::move(body));
}
