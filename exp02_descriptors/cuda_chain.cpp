#include "chain.h"
#include "cuda/device/device.h"
#include "cuda/device/programmatic.h"
#include "cuda/memory/buffer.h"

namespace {

struct Arguments {
  void* in;
  void* out;
  std::vector<std::byte> params;
};

void* pointer_to(const Slice& slice) {
  return static_cast<std::byte*>(bench::cuda::own(*slice.buffer).handle()) + slice.offset;
}

}  // namespace

std::unique_ptr<bench::Subject> cuda_chain(bench::Device& device, const Chain& chain, bench::SubmitMode mode) {
  auto steps = std::make_shared<std::vector<Arguments>>();
  for (const ChainStep& step : chain.steps) steps->push_back({pointer_to(step.in), pointer_to(step.out), step.params});
  bench::cuda::Body body;
  body.name = "a chain of launches";
  body.kernel = chain.kernel;
  body.calls = static_cast<std::uint32_t>(steps->size());
  body.replayed = mode == bench::SubmitMode::kReplay;
  body.has_lead_in = chain.has_lead_in;
  body.enqueue = [steps, kernel = &bench::cuda::cuda_kernel(*chain.kernel), blocks = chain.blocks,
                  is_programmatic = chain.is_programmatic](std::span<const cudaStream_t> streams, std::uint32_t /*part*/) {
    for (Arguments& step : *steps) {
      void* arguments[] = {&step.in, &step.out, step.params.data()};
      // The first one waits for all that the stream has before.
      if (is_programmatic && &step != &steps->front()) {
        bench::cuda::launch_programmatic(*kernel, streams[0], {blocks, 1, 1}, arguments);
      } else {
        kernel->launch(streams[0], {blocks, 1, 1}, arguments);
      }
    }
  };
  return bench::cuda::cuda_device(device).prepare(std::move(body));
}
