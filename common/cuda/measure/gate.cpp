#include "cuda/measure/gate.h"

#include <algorithm>

#include "cuda/kernels/params.h"
#include "cuda_support_kernels.h"

namespace bench::cuda {

std::uint32_t gate_ns(std::uint32_t launches, std::optional<double> last_enqueue_ns) {
  const double wanted = last_enqueue_ns ? 1.5 * *last_enqueue_ns + 10e3 : 5e3 * launches + 20e3;
  return static_cast<std::uint32_t>(std::clamp(wanted, 0.0, static_cast<double>(kMaxGateNs)));
}

Gate::Gate(ComputeCapability device)
    : kernel_({.images = &find_kernel(kernels::cuda_support(), "gate"),
               .entry = "gate",
               .block_x = 1,
               .buffers = 0,
               .params_bytes = sizeof(WaitParams)},
              device) {}

void Gate::enqueue(cudaStream_t stream, std::uint32_t ns) const {
  WaitParams params{ns};
  void* args[] = {&params};
  kernel_.launch(stream, {1, 1, 1}, args);
}

}  // namespace bench::cuda
