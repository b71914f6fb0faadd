#include <algorithm>

#include "core/base/error.h"
#include "cuda/device/device.h"
#include "cuda/device/programmatic.h"
#include "cuda/memory/buffer.h"
#include "sides.h"

Dispatches cuda_side(bench::Workbench& bench, const Config& config, const bench::Launch& launch, const WorkParams& params) {
  if (config.way == DispatchMethod::kFromDevice) {
    const bench::Buffer& state = bench.output("state", EXP08_STATE_WORDS);
    return {cuda_launched(bench, config, launch, params, state), &state};
  }
  if (config.way == DispatchMethod::kIndirect || config.way == DispatchMethod::kInPlace) {
    throw bench::Skip("a CUDA launch takes its grid from the host; what the device decides there: guarded, repeated, launched");
  }
  if (config.way == DispatchMethod::kGraph) return {cuda_chains(bench, config, launch, params)};
  const bench::cuda::Kernel& kernel = bench::cuda::cuda_kernel(*launch.kernel);
  void* tags = bench::cuda::own(*launch.buffers[0]).handle();
  void* trace = bench::cuda::own(*launch.buffers[1]).handle();
  bench::cuda::Body body;
  body.name = "dispatches";
  body.kernel = launch.kernel;
  body.parts = config.dispatches;
  const std::uint32_t most = config.lanes != 0 ? config.lanes : kMostStreams;
  body.streams = config.ordered() || config.is_programmatic() ? 1 : std::min(most, config.dispatches);
  body.replayed = config.replayed();
  body.enqueue = [=, &kernel](std::span<const cudaStream_t> streams, std::uint32_t i) {
    WorkParams mine = params_of(config, i, params);
    void* pointers[] = {tags, trace};
    void* arguments[] = {&pointers[0], &pointers[1], &mine};
    // The first one waits for all that the stream has before, the stamp among it.
    if (config.is_programmatic() && i > 0) {
      bench::cuda::launch_programmatic(kernel, streams[0], launch.grid, arguments);
    } else {
      kernel.launch(streams[i % streams.size()], launch.grid, arguments);
    }
  };
  return {bench::cuda::cuda_device(bench.device()).prepare(std::move(body))};
}
