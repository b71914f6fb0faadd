#include "decided.h"

#include "backends.h"
#include "core/device/kernel_images.h"
#include "core/experiment/per_api.h"
#include "exp08_kernels.h"

const bench::Kernel& load_kernel(bench::Workbench& bench, const char* image, const char* entry, std::uint32_t buffers,
                                 std::size_t params_bytes) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp08(), image),
                       .entry = entry,
                       .block_x = kBlock,
                       .buffers = buffers,
                       .params_bytes = static_cast<std::uint32_t>(params_bytes)});
}

const bench::Kernel& load_work(bench::Workbench& bench, const Config& config) {
  const bench::PerApi<decltype(&vulkan_work)> images = {{bench::cuda::kApi, [](bench::Device&) { return "work"; }},
                                                        {bench::vulkan::kApi, vulkan_work}};
  bench::Device& device = bench.device();
  if (config.is_programmatic() && device.info().api == bench::cuda::kApi)
    return load_kernel(bench, "work_programmatic", "work_programmatic", 2, sizeof(WorkParams));
  return load_kernel(bench, images.at(device.info().api, "work")(device), "work", 2, sizeof(WorkParams));
}

std::unique_ptr<bench::Subject> set_up_decided(bench::Workbench& bench, const Config& config) {
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
    what.work.kernel = &load_work(bench, config);
    what.work.buffers = {&tags, &bench.output("trace", words * EXP08_TRACE_WORDS)};
    what.work.params = bench::params_bytes(WorkParams{0, 0, 0});
    what.decide.kernel = &load_kernel(bench, "decide", "decide", 1, sizeof(DecideParams));
    what.decide.buffers = {&tags};
    what.decide.params = bench::params_bytes(decide_params(config, 0, {}));
  }
  const bench::PerApi<decltype(&cuda_decided)> sides = {{bench::cuda::kApi, cuda_decided},
                                                        {bench::vulkan::kApi, vulkan_decided}};
  auto subject = sides.at(bench.device().info().api, "work that the device decides about")(bench, config, what);

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
