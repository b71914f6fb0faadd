#include "decided.h"

#include "core/device/kernel_images.h"
#include "cuda/device/backend.h"
#include "exp08_kernels.h"

const bench::Kernel& load_kernel(bench::Workbench& bench, const char* image, const char* entry, std::uint32_t buffers,
                                 std::size_t params_bytes) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), image),
                       .entry = entry,
                       .block_x = kBlock,
                       .buffers = buffers,
                       .params_bytes = static_cast<std::uint32_t>(params_bytes)});
}

const bench::Kernel& load_work(bench::Workbench& bench) {
  const bool cuda = bench.device().info().api == bench::cuda::kApi;
  return load_kernel(bench, cuda || tells_sm(bench.device()) ? "work" : "work_anywhere", "work", 2, sizeof(WorkParams));
}

std::unique_ptr<bench::Subject> set_up_decided(bench::Workbench& bench, const Config& config) {
  const bool cuda = bench.device().info().api == bench::cuda::kApi;
  const std::uint64_t words = decided_words(config);
  bench::Buffer& tags = bench.output("tags", words);
  bench::Buffer& state = bench.output("state", EXP08_STATE_WORDS);
  Decided what;
  what.work.grid = {config.blocks, 1, 1};
  what.decide.grid = {1, 1, 1};
  if (config.is_loop()) {
    what.work.kernel = &load_kernel(bench, "looped", "looped", 2, sizeof(LoopedParams));
    what.work.buffers = {&tags, &state};
    what.work.params = bench::params_bytes(LoopedParams{config.blocks});
    what.decide.kernel = &load_kernel(bench, "advance", "advance", 1, sizeof(AdvanceParams));
    what.decide.buffers = {&state};
    what.decide.params = bench::params_bytes(advance_params(config, true, {}));
    what.begin = what.decide;
    if (config.way == DispatchMethod::kTail)
      what.decide.kernel = &load_kernel(bench, "advance_tail", "advance_tail", 1, sizeof(AdvanceParams));
  } else {
    what.work.kernel = &load_work(bench);
    what.work.buffers = {&tags, &bench.output("trace", words * EXP08_TRACE_WORDS)};
    what.work.params = bench::params_bytes(WorkParams{0, 0, 0});
    what.decide.kernel = &load_kernel(bench, "decide", "decide", 1, sizeof(DecideParams));
    what.decide.buffers = {&tags};
    what.decide.params = bench::params_bytes(decide_params(config, 0, {}));
  }
  auto subject = cuda ? cuda_decided(bench, config, what) : vulkan_decided(bench, config, what);

  // Through what will be timed.
  subject->time_host(1);
  bench::verify<std::uint32_t>(bench, "tags of blocks", tags, words, bench::kGuardWords,
                               [config](std::uint64_t i) { return decided_word(config, i); });
  if (config.is_loop()) {
    bench::verify<std::uint32_t>(bench, "the loop's state", state, EXP08_STATE_WORDS, bench::kGuardWords,
                                 [config](std::uint64_t i) { return decided_state(config, i); });
  }
  bench.makes_outputs_anew();
  return subject;
}
